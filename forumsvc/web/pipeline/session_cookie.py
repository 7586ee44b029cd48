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
    value = request.cookies.get(session_cookie_name(request), "")
    return value if _SECRET.fullmatch(value) else None
