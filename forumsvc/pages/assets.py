"""Static files of the pages: kept in memory, and served under URLs with a version."""

from functools import cache
from hashlib import sha256
from importlib.resources import files

from pyramid.response import Response

from ..web.api.request import ForumRequest
from ..web.responses.ranges import ignore_unsatisfiable_range

_IMMUTABLE = "public, max-age=31536000, immutable"
_TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "png": "image/png",
    "ico": "image/vnd.microsoft.icon",
    "txt": "text/plain",
}
"""Media types by file extension; not from `mimetypes`, whose answers depend on the machine."""


class Asset:
    """A file of this package. version: a hash of its content, for its URL."""

    def __init__(self, name: str) -> None:
        """name: the path of the file inside the package."""
        self._body = files(__package__).joinpath(name).read_bytes()
        self._type = _TYPES[name.rpartition(".")[2]]
        self.version = sha256(self._body).hexdigest()[:12]

    def respond(self, request: ForumRequest) -> Response:
        """Return the file, or 304 if the client has it.

        With its version in the URL (`?v=`) it is immutable; without it, caches must revalidate.
        """
        ignore_unsatisfiable_range(request, len(self._body))
        charset = "utf-8" if self._type.startswith("text/") else None
        response = Response(self._body, content_type=self._type, charset=charset)
        is_versioned = request.parameters.get("v") == self.version
        response.headers["Cache-Control"] = _IMMUTABLE if is_versioned else "public, no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.etag = self.version
        response.conditional_response = True
        return response


@cache
def load_asset(name: str) -> Asset:
    """Return a file of this package; it is read once."""
    return Asset(name)
