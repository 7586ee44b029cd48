"""Compression of large responses for clients that accept gzip (RFC 9110 §§8.4, 12.5.3).

No other code knows of it, not even of the entity tags: the compressed form has a tag of its own
(RFC 9110 §8.8.3.3), made here from the tag of the plain form, and converted back when a client
sends it.
"""

import gzip
import re
import zlib
from functools import lru_cache
from io import BytesIO
from secrets import randbelow
from typing import Any

from webob.acceptparse import create_accept_encoding_header

from ..api.request import ForumRequest, Handler
from ..registry import ForumRegistry

MIN_BYTES = 1024
"""Below this, compression gains nothing beside the size of headers and packets."""
_MAX_BYTES = 16 * 1024**2
_LEVEL = 1
"""A list of topics is 8 % larger than with level 6, and takes two thirds of the time."""
_MAX_CACHED_BYTES = 256 * 1024
_MOST_PADDING = 100
_TYPES = frozenset(
    {
        "application/atom+xml",
        "application/feed+json",
        "application/javascript",
        "application/json",
        "application/xml",
        "application/yaml",
        "image/svg+xml",
        "text/css",
        "text/html",
        "text/javascript",
        "text/plain",
    }
)
_SUFFIXES = ("-gzip", "-br")
"""Behind the tags of compressed forms: ours, and those of Apache's mod_deflate and mod_brotli."""
_SUFFIX = re.compile(r'-(?:gzip|br)(?=")')
_COMPRESSIBLE_STATUS = frozenset({200, 201})
_CONDITION_HEADERS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH", "HTTP_IF_RANGE")


def gzip_tween(handler: Handler, registry: ForumRegistry) -> Handler:
    """Compress large responses, and add `Vary` to all that could be compressed.

    Without `http.gzip` a proxy compresses them, whose tags are understood, too.
    """
    compresses = registry.forum_settings["http.gzip"]

    def compressing(request: ForumRequest) -> Any:
        environ = request.environ
        sent = _strip_suffixes(environ)
        response = handler(request)
        status = response.status_int
        if status == 304:
            if compresses:
                _vary(response)
            if sent:
                _restore_tag(response, sent.get("HTTP_IF_NONE_MATCH", ""))
        elif compresses and status in _COMPRESSIBLE_STATUS and _is_compressible(response):
            _vary(response)
            accepted = environ.get("HTTP_ACCEPT_ENCODING")
            if accepted is not None and takes_gzip(accepted):
                _compress(response, sent.get("HTTP_IF_NONE_MATCH", ""))
        # The response may compare them itself later, with the tag that it has now.
        environ.update(sent)
        return response

    return compressing


def _strip_suffixes(environ: dict[str, Any]) -> dict[str, str]:
    """Replace the tags of compressed forms in the request by plain ones; return the old headers."""
    sent = {}
    for name in _CONDITION_HEADERS:
        if name in environ and _SUFFIX.search(environ[name]):
            sent[name] = environ[name]
            environ[name] = _SUFFIX.sub("", environ[name])
    return sent


def takes_gzip(header: str) -> bool:
    """Return whether an Accept-Encoding header accepts gzip (`""`: none was sent)."""
    return _takes_gzip(header) if len(header) < 200 else _takes_gzip.__wrapped__(header)


@lru_cache(256)
def _takes_gzip(header: str) -> bool:
    if "gzip" not in header.lower() and "*" not in header:
        return False
    # WebOb takes a malformed header for any encoding; uncompressed is the safer choice.
    accepted = create_accept_encoding_header(header)
    if accepted.parsed is None:
        return False
    weights = {coding.lower(): weight for coding, weight in accepted.parsed}
    weight = weights.get("gzip", weights.get("*", 0))
    return bool(0 < weight >= weights.get("identity", 0))


def _is_compressible(response: Any) -> bool:
    kind, length, caching = "", 0, ""
    # One pass over the list: WebOb's look-ups cost as much as a page from the cache.
    for name, value in response.headerlist:
        if name == "Content-Type":
            kind = value.partition(";")[0]
        elif name == "Content-Length":
            length = int(value)
        elif name == "Cache-Control":
            caching = value
        elif name == "Content-Encoding":
            return False
    is_worth_it = MIN_BYTES <= length <= _MAX_BYTES and kind in _TYPES
    # Of what must not be stored, pages are prepared: see `_compressed_page` and `pages.csrf`.
    return is_worth_it and (kind == "text/html" or "no-store" not in caching)


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
    if "no-store" in response.headers.get("Cache-Control", ""):
        response.body = _compressed_page(body)
    else:
        is_small = len(body) <= _MAX_CACHED_BYTES
        response.body = _compressed_cached(body) if is_small else _compressed(body)
    response.headers["Content-Encoding"] = "gzip"


def _compressed_page(body: bytes) -> bytes:
    """Compress what only one person sees.

    A file name of a random length in gzip's header (RFC 1952 §2.3) hides the length of the rest
    from those who guess at a secret in it ("Heal the Breach", as in Django's GZipMiddleware).
    """
    packed = BytesIO()
    name = "a" * randbelow(_MOST_PADDING)
    with gzip.GzipFile(name, "wb", _LEVEL, packed, mtime=0) as file:
        file.write(body)
    return packed.getvalue()


def _compressed(body: bytes) -> bytes:
    return zlib.compress(body, _LEVEL, wbits=31)


# Cached pages are the same bytes object each time, so they are hashed once.
_compressed_cached = lru_cache(32)(_compressed)


def _restore_tag(response: Any, sent: str) -> None:
    """Set the tag of a 304 to that of the compressed form if the client has that form."""
    tag = response.headers.get("ETag", "")
    for suffix in _SUFFIXES:
        compressed = f'{tag[:-1]}{suffix}"'
        if tag.startswith('"') and compressed in sent:
            response.headers["ETag"] = compressed
