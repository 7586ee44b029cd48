"""Errors as HTML pages, for browsers; the API's errors stay JSON."""

from collections.abc import Callable
from typing import Any

import orjson
from pyramid.config import Configurator
from pyramid.response import Response

from ..registry import ForumRegistry
from ..web.api.request import ForumRequest
from .security_headers import finish_response
from .templating import render_template

Handler = Callable[[ForumRequest], Any]

_SAFE_METHODS = ("GET", "HEAD")


def error_page_tween(handler: Handler, registry: ForumRegistry) -> Handler:
    """Turn each JSON error outside the API into a page, if `Accept` contains text/html."""

    def respond(request: ForumRequest) -> Any:
        response = handler(request)
        if response.status_int >= 400 and _is_from_browser(request):
            _render_as_html(request, response)
        return response

    return respond


def _is_from_browser(request: ForumRequest) -> bool:
    """Return whether a browser shows the response; POST to /oauth/… comes from programs."""
    path = request.environ["PATH_INFO"]
    if path.startswith("/api/") or "text/html" not in request.headers.get("Accept", "").lower():
        return False
    is_page = getattr(request, "page_context", None) is not None
    return is_page or request.method in _SAFE_METHODS or not path.startswith("/oauth/")


def _render_as_html(request: ForumRequest, response: Response) -> None:
    if response.content_type != "application/json":
        return
    body = orjson.loads(response.body)
    message = body.get("error_description") or body.get("message") or body.get("error")
    if not isinstance(message, str):
        return  # not an error body: for example the report of /health
    # There is no context outside the pages: an error page must not need the database.
    context = getattr(request, "page_context", None)
    title = response.status.partition(" ")[2]
    response.content_type = "text/html"
    response.charset = "utf-8"
    values = {"title": title, "message": message}
    response.text = render_template(request, context, "error.html", values)
    finish_response(response, {})


def includeme(config: Configurator) -> None:
    """Add the tween: above the error views, below the compression."""
    config.add_tween(
        "forumsvc.pages.error_pages.error_page_tween",
        under="forumsvc.web.pipeline.compression.gzip_tween",
        over="pyramid_tm.tm_tween_factory",
    )
