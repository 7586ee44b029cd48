"""/settings/data: one's own data as a file."""

from typing import Any

from pyramid.response import Response

from ...permissions import UserPermission as May
from ...queries import data_exports as reading
from ...resources.users import UserItem
from ...services import data_export_requests
from ...web import data_exports
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values, form
from ..page import page
from ..page_tree import own_page


@page("own_data", "/settings/data", own_page, May.VIEW_EXPORT, "data")
def show(item: UserItem, request: ForumRequest) -> Values:
    export: Any = reading.of_user(request.read_connection, item.row.user_id, request.now)
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
