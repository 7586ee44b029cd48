"""The security headers of every page."""

from pyramid.response import Response

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Language": "en",
}
_CSP = {
    "default-src": "'none'",
    "style-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "form-action": "'self'",
}


def finish_response(response: Response, csp_directives: dict[str, str]) -> None:
    """Set the headers of a page. csp_directives: those of this page, in addition to the common."""
    response.headers.update(_HEADERS)
    directives = {**_CSP, **csp_directives}
    response.headers["Content-Security-Policy"] = "; ".join(map(" ".join, directives.items()))
