"""/topics/pictures: pictures that a script uploads while a text is written, several if need be."""

from pyramid.response import Response

from ...errors import Invalid
from ...permissions import PhotoPermission
from ...resources.photos import Photos
from ...web.api.request import ForumRequest
from ..page import page
from ..page_tree import own_photos_page
from ..pictures import picture_address, record_picture, stored_picture

_FIELD = "picture"


@page("topic_pictures", "/topics/pictures", own_photos_page, PhotoPermission.CREATE, method="POST")
def upload(container: Photos, request: ForumRequest) -> Response:
    """Store a picture, and return its address as JSON. Raises Invalid, RateLimited, Forbidden."""
    with stored_picture(request, container.root, _FIELD) as picture:
        if picture is None:
            raise Invalid(_FIELD, "is required")
        record_picture(request, picture, _FIELD)
        return Response(json_body={"address": picture_address(request, picture)}, status=201)
