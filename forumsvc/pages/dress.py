"""What every page's answer wears: its security headers, and an error the form of a page."""

from typing import TYPE_CHECKING

import orjson
from pyramid.response import Response

from ..web.request import ForumRequest
from .rendering import render

if TYPE_CHECKING:
    from .visits import Visit

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


def dress(visit: "Visit", response: Response) -> None:
    """Put the headers on, and make a page of an error where the client asks for HTML."""
    if (
        response.status_int >= 400
        and response.content_type == "application/json"
        and accepts_html(visit.request)
    ):
        said = orjson.loads(response.body)
        message = said.get("error_description") or said.get("message") or said["error"]
        title = response.status.partition(" ")[2]
        response.content_type = "text/html"
        response.charset = "utf-8"
        response.text = render(visit, "error.html", {"title": title, "message": message})
    response.headers.update(_HEADERS)
    policy = {**_POLICY, **visit.policy}
    response.headers["Content-Security-Policy"] = "; ".join(map(" ".join, policy.items()))


def accepts_html(request: ForumRequest) -> bool:
    """Return whether the client names HTML among what it takes: a browser does."""
    return "text/html" in request.headers.get("Accept", "").lower()
