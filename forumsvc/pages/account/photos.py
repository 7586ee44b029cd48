"""/settings/photos: one's own photos, each with a page that asks before it is deleted."""

from typing import Any

from pyramid.response import Response

from ...permissions import PhotoPermission as May
from ...queries import photos as reading
from ...resources.photos import PhotoItem, Photos
from ...security.policy import granted
from ...web import photos
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..page import page, page_form
from ..page_tree import own_photos_page, photo_page
from ..paging import cursor_links, numbered_or_cursor, page_request


@page(
    "own_photos",
    "/settings/photos",
    own_photos_page,
    May.VIEW_OWN,
    "photos",
    schema=numbered_or_cursor,
)
def show(container: Photos, request: ForumRequest) -> dict[str, Any]:
    """Return the values of a page of the list, the newest first."""
    found = reading.page_of(request.db, request.actor_id, page_request(request))
    return {
        "photos": [_line(container, request, row) for row in found.rows],
        "used": reading.used_bytes(request.read_connection, request.actor_id),
        "quota": request.photo_quota.max_bytes,
        "flash_message": flash_message(request),
        **cursor_links(request, found.cursors),
    }


@page(
    "delete_photo",
    r"/settings/photos/{photo_id:\d+}/delete",
    photo_page,
    May.DESTROY,
    "delete_photo",
)
def ask(item: PhotoItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page that asks."""
    return {"photo": item.row, "url": request.photo_url(item.row.name, item.row.storage)}


@page_form(ask)
def delete(item: PhotoItem, request: ForumRequest) -> Response:
    photos.delete(request, item.row)
    return redirect_with_message(request, "photo-deleted", "own_photos")


def _line(container: Photos, request: ForumRequest, row: Any) -> dict[str, Any]:
    item = PhotoItem(container, str(row.id), row)
    return {
        "row": row,
        "url": request.photo_url(row.name, row.storage),
        "may_delete": granted(request.caller, item, May.DESTROY),
    }
