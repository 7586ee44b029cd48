"""Pictures that are uploaded: with a form, or by a script while a text is written."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from pyramid.response import Response

from ..errors import Forbidden, Invalid
from ..media.images import ProcessedImage
from ..permissions import PhotoPermission
from ..resources.photos import Photos
from ..resources.root import Root
from ..security.policy import decide
from ..text.messages import Message
from ..web import uploads
from ..web.api.request import ForumRequest
from .languages import as_sentence, in_language
from .page import page
from .page_tree import own_photos_page

_LABEL = Message("Picture")
PICTURE = "picture"
"""The field of a picture for a text."""


def may_upload(request: ForumRequest, root: Root) -> bool:
    """Return whether the ACL of the photos allows the caller an upload."""
    return bool(decide(request.caller, root["photos"], PhotoPermission.CREATE))


def uploaded_file(request: ForumRequest, name: str) -> BinaryIO | None:
    """Return the file of a form's field. Browsers send an empty one where none was chosen."""
    part: Any = request.parameters.get(name)
    return part.file if hasattr(part, "file") and (part.filename or part.size) else None


@contextmanager
def stored_picture(request: ForumRequest, root: Root, name: str) -> Iterator[ProcessedImage | None]:
    """Store the picture of a form's field, if there is one, to be recorded by `uploads.record`.

    Its bytes are removed if the request fails. Raises Forbidden, Invalid, RateLimited, Unavailable.
    """
    upload = uploaded_file(request, name)
    if upload is None:
        yield None
        return
    if not may_upload(request, root):
        raise Forbidden("You may not upload images.")
    with uploads.stored_photo(request, upload) as image:
        yield image


def picture_address(request: ForumRequest, image: ProcessedImage) -> str:
    """Return the URL of a stored picture."""
    return request.photo_url(image.name, request.registry.photo_storages.default)


@page("topic_pictures", "/topics/pictures", own_photos_page, PhotoPermission.CREATE, method="POST")
def upload(container: Photos, request: ForumRequest) -> Response:
    """Store a picture, and return its address as JSON. Raises RateLimited, Forbidden.

    A file that is refused is answered with the reason as a sentence for its reader, `problem`.
    """
    try:
        with stored_picture(request, container.root, PICTURE) as picture:
            if picture is None:
                raise Invalid(PICTURE, "is required")
            uploads.record(request, picture, PICTURE)
            return Response(json_body={"address": picture_address(request, picture)}, status=201)
    except Invalid as error:
        problem = as_sentence(request, in_language(request, _LABEL), error.reason)
        return Response(json_body={"problem": problem}, status=400)
