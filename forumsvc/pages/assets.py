"""Files that the pages load: each kept in memory, under an address that changes with it."""

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
"""Of our files; what else the machine's tables call them is its own affair."""


class Asset:
    """A file of this package. version: stands in its address, which may be kept for ever."""

    def __init__(self, name: str) -> None:
        """Read the file. name: its path inside the package."""
        self._body = files(__package__).joinpath(name).read_bytes()
        self._type = _TYPES[name.rpartition(".")[2]]
        self.version = sha256(self._body).hexdigest()[:12]

    def respond(self, request: ForumRequest) -> Response:
        """Return the file; nothing of it for who has it already.

        It may be kept for ever under an address that names its version (`?v=`). Under any other,
        which stays when the file changes, whoever has it must ask.
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
    """Return a file of this package, read once."""
    return Asset(name)
