"""The endpoints of the export of one's own data."""

from pyramid.response import Response

from ..permissions import UserPermission as May
from ..resources.users import UserItem
from ..web import data_exports
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Kind, Shown


@api_view(UserItem, "POST", May.EXPORT, name="export")
def ask_for_export(item: UserItem, request: ForumRequest) -> Shown:
    """Have the caller's data exported by the background worker."""
    shown = Shown(Kind.EXPORT, data_exports.ask_for_export(request))
    request.response.status_int = 202
    return shown


@api_view(UserItem, "GET", May.VIEW_EXPORT, name="export")
def read_export(item: UserItem, request: ForumRequest) -> Shown:
    """Tell how far the export is, and where its file is."""
    return Shown(Kind.EXPORT, data_exports.export_of(request))


@api_view(UserItem, "GET", May.VIEW_EXPORT, name="export.zip", renderer=None)
def download_export(item: UserItem, request: ForumRequest) -> Response:
    """Answer with the file."""
    return data_exports.file_of_export(request)
