"""Exports of one's own data, for the API and the pages."""

from pyramid.response import Response

from ..errors import NotFound
from ..queries import data_exports
from ..queries.data_exports import ExportRow, ExportState
from ..services import data_export_requests
from .api.request import ForumRequest

_MISSING = "There is no export of your data."


def ask_for_export(request: ForumRequest) -> ExportRow:
    """Have the caller's data exported. Raises RateLimited within a day of the last time."""
    # Without the forum's pages there is no page that has it.
    has_page = request.settings["pages.forum"]
    url = request.site.base_url + request.route_path("own_data") if has_page else ""
    data_export_requests.request(
        *(request.db, request.actor_id, request.now),
        url=url,
        language=request.locale_name,
    )
    return export_of(request)


def export_of(request: ForumRequest) -> ExportRow:
    """Return the caller's export. Raises NotFound without one."""
    found = data_exports.of_user(request.db, request.actor_id, request.now)
    if found is None:
        raise NotFound(_MISSING)
    return found


def file_of_export(request: ForumRequest) -> Response:
    """Return the file of the caller's export, read piece by piece. Raises NotFound."""
    found = export_of(request)
    if found.state != ExportState.READY:
        raise NotFound(_MISSING)
    content = data_exports.content(request.registry.database.executor, found.id)
    response = Response(content_type="application/octet-stream", app_iter=content)
    response.content_length = found.size
    day = found.requested_at.date().isoformat()
    response.headers["Content-Disposition"] = f'attachment; filename="forum-data-{day}.zip"'
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
