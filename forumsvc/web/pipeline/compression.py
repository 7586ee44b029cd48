"""Large answers leave compressed where the client takes gzip (RFC 9110 §§8.4, 12.5.3).

Nothing further in knows of it, not even of the entity tags: the compressed form has one of its own
(RFC 9110 §8.8.3.3), made here of the plain one's, and turned back here when the client returns it.
"""

import re
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from webob.acceptparse import create_accept_encoding_header

from ..api.request import ForumRequest

MIN_BYTES = 1024
"""Bytes below which the headers' own weight, and the packet's, leave nothing to gain."""
_MAX_BYTES = 16 * 1024**2
_LEVEL = 1
"""A list of topics is 8 % larger than at level 6, and ready in two thirds of the time."""
_MAX_CACHED_BYTES = 256 * 1024
_TYPES = frozenset(
    {
        "application/javascript",
        "application/json",
        "application/yaml",
        "image/svg+xml",
        "text/css",
        "text/html",
        "text/javascript",
        "text/plain",
    }
)
_SUFFIX = re.compile(r'-gzip(?=")')
_COMPRESSIBLE_STATUS = frozenset({200, 201})
_CONDITION_HEADERS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH", "HTTP_IF_RANGE")

Handler = Callable[[ForumRequest], Any]


def gzip_tween(handler: Handler, registry: Any) -> Handler:
    """Compress what is large, and say of everything that might be that it varies."""
    if not registry.forum_settings["http.gzip"]:
        return handler

    def compressing(request: ForumRequest) -> Any:
        environ = request.environ
        given = _strip_gzip_tags(environ)
        response = handler(request)
        status = response.status_int
        if status == 304:
            _vary(response)
            _restore_gzip_tag(response, given.get("HTTP_IF_NONE_MATCH", ""))
        elif status in _COMPRESSIBLE_STATUS and _is_compressible(response):
            _vary(response)
            accepted = environ.get("HTTP_ACCEPT_ENCODING")
            if accepted is not None and takes_gzip(accepted):
                _compress(response, given.get("HTTP_IF_NONE_MATCH", ""))
        # A response may yet compare them itself, with the tag that it has now.
        environ.update(given)
        return response

    return compressing


def _strip_gzip_tags(environ: dict[str, Any]) -> dict[str, str]:
    """Give the request the plain form's tags for the compressed one's, and return what it had."""
    given = {}
    for name in _CONDITION_HEADERS:
        if name in environ and "-gzip" in environ[name]:
            given[name] = environ[name]
            environ[name] = _SUFFIX.sub("", environ[name])
    return given


def takes_gzip(header: str) -> bool:
    """Return whether a client takes gzip, by its Accept-Encoding (`""`: it sent none)."""
    return _takes_gzip(header) if len(header) < 200 else _takes_gzip.__wrapped__(header)


@lru_cache(256)
def _takes_gzip(header: str) -> bool:
    if "gzip" not in header.lower() and "*" not in header:
        return False
    # One that is malformed takes anything, says WebOb; what everybody can read is the safer guess.
    accepted = create_accept_encoding_header(header)
    if accepted.parsed is None:
        return False
    weights = {coding.lower(): weight for coding, weight in accepted.parsed}
    weight = weights.get("gzip", weights.get("*", 0))
    return bool(0 < weight >= weights.get("identity", 0))


def _is_compressible(response: Any) -> bool:
    kind, length, caching = "", 0, ""
    # Once through the list: WebOb's own look-ups cost as much as a page from memory.
    for name, value in response.headerlist:
        if name == "Content-Type":
            kind = value.partition(";")[0]
        elif name == "Content-Length":
            length = int(value)
        elif name == "Cache-Control":
            caching = value
        elif name == "Content-Encoding":
            return False
    # A page of somebody's own holds a secret (the forms' token) beside what the request said: its
    # compressed length would tell of the secret, guess by guess (BREACH). Answers of the API are
    # not in that danger, as no browser adds a token to a request by itself.
    is_private_page = kind == "text/html" and "public" not in caching
    is_worth_it = MIN_BYTES <= length <= _MAX_BYTES and kind in _TYPES
    return is_worth_it and not is_private_page and "no-store" not in caching


def _vary(response: Any) -> None:
    headers = response.headerlist
    for place, (name, value) in enumerate(headers):
        if name == "Vary":
            headers[place] = (name, f"{value}, Accept-Encoding")
            return
    headers.append(("Vary", "Accept-Encoding"))


def _compress(response: Any, known: str) -> None:
    tag = response.headers.get("ETag", "")
    if tag.startswith('"'):
        tag = response.headers["ETag"] = f'{tag[:-1]}-gzip"'
        if response.conditional_response and tag in known:
            return  # it will be a 304
    body = response.body
    response.body = (
        _compressed_cached(body) if len(body) <= _MAX_CACHED_BYTES else _compressed(body)
    )
    response.headers["Content-Encoding"] = "gzip"


def _compressed(body: bytes) -> bytes:
    return zlib.compress(body, _LEVEL, wbits=31)


# Bodies that are the same object each time are hashed once; the others cost 2 µs more.
_compressed_cached = lru_cache(32)(_compressed)


def _restore_gzip_tag(response: Any, given: str) -> None:
    """Let a 304 name the tag that the client has, where that is the compressed form's."""
    tag = response.headers.get("ETag", "")
    compressed = f'{tag[:-1]}-gzip"'
    if tag.startswith('"') and compressed in given:
        response.headers["ETag"] = compressed
