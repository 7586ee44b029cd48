"""Files that the pages load: each kept in memory, under an address that changes with it."""

import gzip
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files

from pyramid.response import Response

from ..web.request import ForumRequest

_TYPES = {"css": "text/css", "js": "text/javascript", "png": "image/png"}
"""Of our files; what else the machine's tables call them is its own affair."""


class Asset:
    """A file of this package. version: stands in its address, which may be kept for ever."""

    def __init__(self, name: str) -> None:
        """Read the file. name: its path inside the package."""
        self._body = files(__package__).joinpath(name).read_bytes()
        self._type = _TYPES[name.rpartition(".")[2]]
        self.version = sha256(self._body).hexdigest()[:12]

    @cached_property
    def _zipped(self) -> bytes:
        return gzip.compress(self._body, mtime=0)

    def respond(self, request: ForumRequest) -> Response:
        """Return the file: compressed for who takes that, nothing for who has it already."""
        is_text = self._type.startswith("text/")
        response = Response(content_type=self._type, charset="utf-8" if is_text else None)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.etag = self.version
        if is_text:
            response.vary = ["Accept-Encoding"]
        if is_text and _takes_gzip(request):
            response.body = self._zipped
            response.content_encoding = "gzip"
            response.etag = f"{self.version}-gzip"
        else:
            response.body = self._body
        response.conditional_response = True
        return response


def _takes_gzip(request: ForumRequest) -> bool:
    # Who names no encoding takes them all, says RFC 9110 §12.5.3; that is not to be relied on.
    named = "Accept-Encoding" in request.headers
    return named and bool(request.accept_encoding.acceptable_offers(["gzip"]))


@cache
def asset(name: str) -> Asset:
    """Return a file of this package, read once."""
    return Asset(name)
