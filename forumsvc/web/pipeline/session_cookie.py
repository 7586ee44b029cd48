"""The cookie of the browser sessions."""

import re

from ..api.request import ForumRequest

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


def session_cookie_name(request: ForumRequest) -> str:
    """Return `session`, with a prefix that guards it where the service has TLS."""
    # Browsers accept the prefix only from this very host, over TLS (RFC 6265bis §4.1.3.2).
    return "__Host-session" if request.base_url.startswith("https://") else "session"


def read_session_cookie(request: ForumRequest) -> str | None:
    """Return the secret in the browser's cookie, or None."""
    value = cookie_of(request, session_cookie_name(request))
    return value if _SECRET.fullmatch(value) else None


def cookie_of(request: ForumRequest, name: str) -> str:
    """Return the value of a cookie as it was sent, empty without one.

    Of several the last counts: browsers send the older one first, which another site of the domain
    may have set. WebOb's parser takes time by the square of the header's length, and fails for some
    bytes.
    """
    found = ""
    for part in request.environ.get("HTTP_COOKIE", "").split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            found = str(value).strip('"')  # RFC 6265 §4.1.1
    return found
