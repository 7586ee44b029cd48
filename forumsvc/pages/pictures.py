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
from ..services.photos import photos
from ..web.api.request import ForumRequest
from .page import page
from .page_tree import own_photos_page

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
    """Store the picture of a form's field, if there is one, to be recorded by `record_picture`.

    Its bytes are removed if the request fails. Raises Forbidden, Invalid, RateLimited, Unavailable.
    """
    upload = uploaded_file(request, name)
    if upload is None:
        yield None
        return
    if not may_upload(request, root):
        raise Forbidden("You may not upload images.")
    registry = request.registry
    stored = photos.store(
        registry.photo_storages,
        registry.photo_decoding,
        request.executor,
        request.photo_quota,
        upload,
    )
    with stored as image:
        request.remove_photo_on_abort(image.name)
        yield image


def record_picture(request: ForumRequest, image: ProcessedImage, field: str) -> str:
    """Insert the row of a stored picture, and return its name. field: the form's, for errors.

    Raises Invalid, Unavailable.
    """
    storages = request.registry.photo_storages
    return photos.record(request.db, storages, request.photo_quota, request.now, image, field=field)


def picture_address(request: ForumRequest, image: ProcessedImage) -> str:
    """Return the URL of a stored picture."""
    return request.photo_url(image.name, request.registry.photo_storages.default)


@page("topic_pictures", "/topics/pictures", own_photos_page, PhotoPermission.CREATE, method="POST")
def upload(container: Photos, request: ForumRequest) -> Response:
    """Store a picture, and return its address as JSON. Raises Invalid, RateLimited, Forbidden."""
    with stored_picture(request, container.root, PICTURE) as picture:
        if picture is None:
            raise Invalid(PICTURE, "is required")
        record_picture(request, picture, PICTURE)
        return Response(json_body={"address": picture_address(request, picture)}, status=201)
