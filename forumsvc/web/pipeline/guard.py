"""Refuses malformed requests before they are routed."""

import re
from ipaddress import IPv6Address
from typing import Any

from pyramid.response import Response

from ...errors import Malformed, NotFound, TooLarge, UnsupportedBody
from ...settings import Settings
from ...text.messages import Message
from ..api.request import ForumRequest, Handler
from ..registry import ForumRegistry

_HOST = re.compile(r"[A-Za-z0-9._~-]+(:[0-9]+)?|\[[0-9a-fA-F:.]+\](:[0-9]+)?")
_MAX_HOST_LENGTH = 300
"""Longer than any name with its port (RFC 1035 §2.3.4); it is part of cache keys."""

_REDUNDANT_ESCAPE = re.compile(
    r"%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])", re.IGNORECASE
)
"""A percent-encoded letter, digit or one of `-._~` (RFC 3986 §2.3)."""
_ESCAPED_SLASH = re.compile("%2F", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Control characters and line separators. Routes end in `$`, which a final line break passes."""
_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


_DATES = {
    "HTTP_IF_MODIFIED_SINCE": "if_modified_since",
    "HTTP_IF_UNMODIFIED_SINCE": "if_unmodified_since",
    "HTTP_IF_RANGE": "if_range",
}
"""Headers with a date, and the attributes of a request that parse them."""
_MAX_RANGE_LENGTH = 100
_ENCODED_CHARACTER = 12
"""Bytes of a character outside the BMP, percent-encoded or as an escape of JSON."""
_OTHER_FIELDS = 256 * 1024
"""Bytes of a form for all but the text of a post."""
_METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"


def guard_tween(handler: Handler, registry: ForumRegistry) -> Handler:
    """Refuse undecodable and non-canonical paths, invalid hosts and large bodies."""
    settings = registry.forum_settings

    def guard(request: ForumRequest) -> Any:
        environ = request.environ
        environ.pop("HTTP_X_VHM_ROOT", None)  # it would move the root of the tree
        if environ.get("REQUEST_URI") == "*":
            return _answer_for_server(environ["REQUEST_METHOD"])
        _check_path(environ["PATH_INFO"])
        _check_canonical_path(environ)
        _check_host(environ)
        _drop_unusable_conditions(request)
        if length := environ.get("CONTENT_LENGTH"):
            coding = environ.get("HTTP_CONTENT_ENCODING", "")
            check_body(settings, int(length), environ.get("CONTENT_TYPE", ""), coding)
        return handler(request)

    return guard


def _answer_for_server(method: str) -> Response:
    """Answer `OPTIONS *`, which is about the whole server (RFC 9110 §9.3.7)."""
    if method != "OPTIONS":
        raise Malformed("only OPTIONS may name no path")
    return Response(status=204, headerlist=[("Allow", _METHODS)])


def check_body(settings: Settings, length: int, content_type: str, content_encoding: str) -> None:
    """Refuse a body by its headers. Raises TooLarge, UnsupportedBody.

    Only files need `http.max_body`. What is parsed as a whole takes many times its size.
    """
    most: int = settings["http.max_body"]
    if not content_type.lower().startswith("multipart/form-data"):
        most = min(most, _ENCODED_CHARACTER * settings["posts.max_body"] + _OTHER_FIELDS)
    if length > most:
        raise TooLarge(Message("The request body is larger than %(most)d bytes.", most=most))
    if length and content_encoding.lower() not in ("", "identity"):
        raise UnsupportedBody(Message("A body with a Content-Encoding is not read."))


def _check_path(path: str) -> None:
    if not path.isascii():
        try:
            path = path.encode("latin-1").decode("utf-8")
        except UnicodeError:
            raise Malformed("the path holds bytes that are not UTF-8") from None
    if _CONTROL.search(path):
        raise Malformed("the path holds a control character")


def _check_canonical_path(environ: dict[str, Any]) -> None:
    """Raise NotFound if a path is not canonical.

    A proxy that denies `/metrics` may let `//metrics` or `/%6detrics` pass. An escaped slash is no
    separator (RFC 3986 §2.2), and no name holds one. The API's traverser checks the rest of the
    paths of the API.
    """
    path = environ["PATH_INFO"]
    # Not every server passes the path as it was sent. waitress does, and reduces the slashes at the
    # beginning of PATH_INFO to one.
    uri = environ.get("REQUEST_URI", path)
    origin = _ORIGIN.match(uri)
    sent = uri[origin.end() if origin else 0 :].partition("?")[0]
    if sent != path:
        _check_path(sent)  # a server may leave raw control characters out of PATH_INFO
    if sent.startswith("//") or ("%" in sent and _ESCAPED_SLASH.search(sent)):
        raise NotFound("There is nothing here.")
    if path.startswith("/api/"):
        return
    inner = f"{path.removesuffix('/')}/"
    if "//" in inner or "/./" in inner or "/../" in inner or _REDUNDANT_ESCAPE.search(sent):
        raise NotFound("There is nothing here.")


def _check_host(environ: dict[str, Any]) -> None:
    host = environ.get("HTTP_HOST")
    if host is None:
        if environ.get("SERVER_PROTOCOL") == "HTTP/1.1":
            raise Malformed("the request names no host")
    elif len(host) > _MAX_HOST_LENGTH or not _HOST.fullmatch(host):
        raise Malformed("the Host header is not one host")
    elif host.startswith("["):
        try:
            IPv6Address(host[1 : host.index("]")])
        except ValueError:
            raise Malformed("the Host header is not one host") from None


def _drop_unusable_conditions(request: ForumRequest) -> None:
    """Ignore what WebOb fails to read when the answer is sent (RFC 9110 §13.1.3, §14.2)."""
    environ = request.environ
    for name, attribute in _DATES.items():
        if name in environ:
            try:
                getattr(request, attribute)
            except (ValueError, OverflowError):
                del environ[name]
    if len(environ.get("HTTP_RANGE", "")) > _MAX_RANGE_LENGTH:
        del environ["HTTP_RANGE"]
