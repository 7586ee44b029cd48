"""/settings/data: one's own data as a file."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from ...permissions import UserPermission as May
from ...queries import data_exports as reading
from ...resources.users import UserItem
from ...services import data_export_requests
from ...web import data_exports
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values, form
from ..page_tree import own_page
from ..views import add_page


def show(item: UserItem, request: ForumRequest) -> Values:
    export: Any = reading.of_user(request.read_connection, item.row.user_id, request.now)
    may_ask = data_export_requests.may_ask(export, request.now)
    flash = flash_message(request)
    return form(export=export, may_ask=may_ask, row=item.row, flash_message=flash)


def ask_for_export(item: UserItem, request: ForumRequest) -> Response:
    data_exports.ask_for_export(request)
    return redirect_with_message(request, "export-asked-for", "own_data")


def download(item: UserItem, request: ForumRequest) -> Response:
    return data_exports.file_of_export(request)


def includeme(config: Configurator) -> None:
    path = "/settings/data"
    add_page(config, "own_data", path, own_page, May.VIEW_EXPORT, show, template="data")
    add_page(
        config, "export_own_data", f"{path}/export", own_page, May.EXPORT, submit=ask_for_export
    )
    add_page(config, "own_data_file", f"{path}/export.zip", own_page, May.VIEW_EXPORT, download)
