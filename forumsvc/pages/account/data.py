"""What the forum has of a member: the data as a file, photos, and closing the account."""

from typing import Any

from pyramid.response import Response

from ...permissions import PhotoPermission
from ...permissions import UserPermission as May
from ...queries import data_exports as export_queries
from ...queries import photos as photo_queries
from ...resources.photos import PhotoItem, Photos
from ...resources.users import UserItem
from ...schemas.accounts import CLOSURE_PAGE_FORM
from ...security.policy import granted
from ...services.accounts import closures, data_export_requests
from ...services.accounts.erasure.erasure import PostsErasure
from ...web import accounts, data_exports, photo_deletion
from ...web.api.request import ForumRequest
from ...web.reauthentication import reauthenticate
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values, form, process_form
from ..page import page, page_form
from ..page_tree import own_page, own_photos_page, photo_page
from ..paging import cursor_links, numbered_or_cursor, page_request


@page("own_data", "/settings/data", own_page, May.VIEW_EXPORT, "data")
def show_data(item: UserItem, request: ForumRequest) -> Values:
    export: Any = export_queries.of_user(request.read_connection, item.row.user_id, request.now)
    may_ask = data_export_requests.may_ask(export, request.now)
    flash = flash_message(request)
    return form(export=export, may_ask=may_ask, row=item.row, flash_message=flash)


@page("export_own_data", "/settings/data/export", own_page, May.EXPORT, method="POST")
def ask_for_export(item: UserItem, request: ForumRequest) -> Response:
    data_exports.ask_for_export(request)
    return redirect_with_message(request, "export-asked-for", "own_data")


@page("own_data_file", "/settings/data/export.zip", own_page, May.VIEW_EXPORT)
def download(item: UserItem, request: ForumRequest) -> Response:
    return data_exports.file_of_export(request)


@page(
    "own_photos",
    "/settings/photos",
    own_photos_page,
    PhotoPermission.VIEW_OWN,
    "photos",
    schema=numbered_or_cursor,
)
def show_photos(container: Photos, request: ForumRequest) -> dict[str, Any]:
    """Return the values of a page of the list, the newest first."""
    result = photo_queries.page_of(request.db, request.actor_id, page_request(request))
    return {
        "photos": [_photo_line(container, request, row) for row in result.rows],
        "used": photo_queries.used_bytes(request.read_connection, request.actor_id),
        "quota": request.photo_quota.max_bytes,
        "flash_message": flash_message(request),
        **cursor_links(request, result.cursors),
    }


@page(
    "delete_photo",
    r"/settings/photos/{photo_id:\d+}/delete",
    photo_page,
    PhotoPermission.DESTROY,
    "delete_photo",
)
def ask_to_delete_photo(item: PhotoItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page that asks."""
    return {"photo": item.row, "url": request.photo_url(item.row.name, item.row.storage)}


@page_form(ask_to_delete_photo)
def delete_photo(item: PhotoItem, request: ForumRequest) -> Response:
    photo_deletion.delete(request, item.row)
    return redirect_with_message(request, "photo-deleted", "own_photos")


def _photo_line(container: Photos, request: ForumRequest, row: Any) -> dict[str, Any]:
    item = PhotoItem(container, str(row.id), row)
    return {
        "row": row,
        "url": request.photo_url(row.name, row.storage),
        "may_delete": granted(request.caller, item, PhotoPermission.DESTROY),
    }


@page("closure", "/settings/closure", own_page, May.CLOSE, "closure")
def show_closure(item: UserItem, request: ForumRequest) -> Values:
    return form(**_closure_values(item, request))


@page_form(show_closure)
def submit_closure(item: UserItem, request: ForumRequest) -> Response | Values:
    """Have the account closed."""

    def close(values: Values) -> Response:
        request.registry.abuse_limits.count_mail_request(request)
        login = item.row.user_login
        reauthenticate(request, login, values["current_password"], "current_password")
        accounts.close(request, login, PostsErasure(values["posts"]))
        return redirect_with_message(request, "closure-begun", "own_data")

    return process_form(request, CLOSURE_PAGE_FORM, close, **_closure_values(item, request))


@page("keep_account", "/settings/closure/keep", own_page, May.CLOSE, method="POST")
def keep(item: UserItem, request: ForumRequest) -> Response:
    """Let the account stay."""
    closures.take_back(request.db, request.now, item.row.user_id)
    return redirect_with_message(request, "closure-taken-back", "own_data")


def _closure_values(item: UserItem, request: ForumRequest) -> Values:
    return {"row": item.row, "days": request.settings["accounts.closure_days"]}
