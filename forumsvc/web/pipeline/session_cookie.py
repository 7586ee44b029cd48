"""The cookies of this site, and that of the browser sessions."""

import re
from functools import lru_cache
from hashlib import blake2b

from pyramid.response import Response

from ..api.request import ForumRequest

SESSION = "session"
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


@lru_cache(64)
def site_cookie_name(base_url: str, purpose: str) -> str:
    """Return the name of a cookie: its purpose, and a mark of the site.

    A cookie is sent to every port of its host (RFC 6265 §8.5), where another forum may be. Browsers
    accept the prefix only from this very host, over TLS (RFC 6265bis §4.1.3.2).
    """
    prefix = "__Host-" if base_url.startswith("https://") else ""
    return f"{prefix}{purpose}_{blake2b(base_url.encode(), digest_size=4).hexdigest()}"


def cookie_name(request: ForumRequest, purpose: str) -> str:
    """Return the name of a cookie of the site that a request came to."""
    return site_cookie_name(request.base_url, purpose)


def set_cookie(
    request: ForumRequest, response: Response, purpose: str, value: str, max_age: int
) -> None:
    """Set a cookie of this site, which no script reads. max_age: seconds; 0 deletes it."""
    response.set_cookie(
        cookie_name(request, purpose),
        value,
        max_age=max_age,
        path="/",
        secure=request.base_url.startswith("https://"),
        httponly=True,
        samesite="Lax",
    )


def read_session_cookie(request: ForumRequest) -> str | None:
    """Return the secret in the browser's cookie, or None."""
    value = cookie_of(request, cookie_name(request, SESSION))
    return value if _SECRET.fullmatch(value) else None


def cookie_of(request: ForumRequest, name: str) -> str:
    """Return the value of a cookie as it was sent, empty without one.

    Of several the last counts: browsers send the older one first, which another site of the domain
    may have set. WebOb's parser takes time by the square of the header's length, and fails for some
    bytes.
    """
    result = ""
    for part in request.environ.get("HTTP_COOKIE", "").split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            result = str(value).strip('"')  # RFC 6265 §4.1.1
    return result
