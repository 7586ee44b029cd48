"""The security headers of every page."""

from pyramid.response import Response

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Language": "en",
}
_POLICY = {
    "default-src": "'none'",
    "style-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "form-action": "'self'",
}


def finish(response: Response, policy: dict[str, str]) -> None:
    """Put the headers on a page. policy: what it needs beside what all may (CSP directives)."""
    response.headers.update(_HEADERS)
    directives = {**_POLICY, **policy}
    response.headers["Content-Security-Policy"] = "; ".join(map(" ".join, directives.items()))
