"""Exports of one's own data, for the API and the pages."""

import threading
import weakref
from typing import BinaryIO

from pyramid.response import FileIter, Response

from ..errors import NotFound, Unavailable
from ..queries import data_exports
from ..queries.data_exports import ExportRow, ExportState
from ..services.accounts import data_export_requests
from .api.request import ForumRequest

_MISSING = "There is no export of your data."
_MOST_DOWNLOADS = 8
_BLOCK = 2**16


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
    export = data_exports.of_user(request.db, request.actor_id, request.now)
    if export is None:
        raise NotFound(_MISSING)
    return export


class _Downloads:
    """What this process sends: one file a person, and a few in all, for each takes disk space."""

    def __init__(self) -> None:
        self._users: set[int] = set()
        self._lock = threading.Lock()

    def begin(self, user_id: int) -> None:
        """Count a download. Raises Unavailable where it is one too many."""
        with self._lock:
            if user_id in self._users or len(self._users) >= _MOST_DOWNLOADS:
                raise Unavailable("The file is being sent already. Try again soon.", 30)
            self._users.add(user_id)

    def end(self, user_id: int) -> None:
        """Let the person download again."""
        with self._lock:
            self._users.discard(user_id)


_downloads = _Downloads()


class _SentFile:
    """A file that the server reads as fast as the client does."""

    def __init__(self, file: BinaryIO, user_id: int) -> None:
        self._file = file
        self._ended = weakref.finalize(self, _downloads.end, user_id)
        self.read, self.seek, self.tell = file.read, file.seek, file.tell

    def close(self) -> None:
        """Close it; the person may download again."""
        self._file.close()
        self._ended()


def file_of_export(request: ForumRequest) -> Response:
    """Return the file of the caller's export. Raises NotFound, Unavailable.

    The server sends it without a thread: whoever reads slowly holds up nobody.
    """
    export = export_of(request)
    if export.state != ExportState.READY:
        raise NotFound(_MISSING)
    storage = request.registry.photo_storages.get(export.storage or "")
    if storage is None or export.file is None:
        raise NotFound(_MISSING)
    _downloads.begin(request.actor_id)
    try:
        file = _SentFile(storage.open_private(export.file), request.actor_id)
    except BaseException:
        _downloads.end(request.actor_id)
        raise
    wrapper = request.environ.get("wsgi.file_wrapper", FileIter)
    response = Response(content_type="application/octet-stream", app_iter=wrapper(file, _BLOCK))
    response.content_length = export.size
    day = export.requested_at.date().isoformat()
    response.headers["Content-Disposition"] = f'attachment; filename="forum-data-{day}.zip"'
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
