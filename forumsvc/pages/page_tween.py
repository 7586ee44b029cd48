"""What the responses of all pages share: security headers, and errors as HTML for browsers.

The API's errors stay JSON.
"""

from typing import Any

import orjson
from pyramid.config import Configurator
from pyramid.exceptions import BadCSRFToken
from pyramid.renderers import render
from pyramid.response import Response

from ..errors import Invalid
from ..security.denial import DENIED
from ..text.error_codes import ErrorCode
from ..text.messages import Message
from ..web.api.request import ForumRequest, Handler
from ..web.pipeline.request_id import ENVIRON_KEY as REQUEST_ID
from ..web.registry import ForumRegistry
from . import kept_text
from .branding import style_of
from .languages import as_sentence

_PROBLEM = Message("Something went wrong")
_TITLES = {
    401: Message("Log in first"),
    403: Message("This is not allowed"),
    404: Message("Not found"),
    410: Message("Deleted"),
    413: Message("Too large"),
    429: Message("Too many requests"),
    503: Message("Not available now"),
}
"""By status."""
_OTHER_LOGIN = Message("You have logged in anew since you began. Look at your text, and send it.")
_DENIED = {
    ErrorCode.NOT_YOURS: Message("Only the author and the moderators can do this."),
    ErrorCode.FORBIDDEN: Message("Your role in this forum is not one that can do this."),
}
"""What pages say in place of the sentence for programs, by its code."""
_PLACES = ("page", "from", "before", "after")
"""The parameters that say which part of a list a page shows."""
_NO_SUCH_PLACE = Message("This list has no such page.")
_SAFE_METHODS = ("GET", "HEAD")
_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_CSP = {
    "default-src": "'none'",
    "style-src": "'self'",
    "img-src": "'self'",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "form-action": "'self'",
}


def page_tween(handler: Handler, registry: ForumRegistry) -> Handler:
    """Turn each JSON error outside the API into a page, if `Accept` contains text/html.

    Add the headers of every page, and the CSP directives of this one.
    """

    def respond(request: ForumRequest) -> Any:
        response = handler(request)
        csp = {**_CSP, "style-src": style_of(request.site_texts.accent).source}
        context = request.page_context
        is_page = context is not None
        if response.status_int >= 400 and _is_from_browser(request):
            is_page |= _render_as_html(request, response)
        if is_page:
            page_directives = {} if context is None else context.csp_directives
            directives = {
                name: value for name, value in {**csp, **page_directives}.items() if value
            }
            # All at once: each header by itself costs a search through the others.
            added = {
                **_HEADERS,
                "Content-Language": request.locale_name,
                "Content-Security-Policy": "; ".join(map(" ".join, directives.items())),
            }
            # Pages for everybody have an ETag and say themselves how they are cached.
            if "ETag" not in response.headers:
                added["Cache-Control"] = "no-store"
            headers = [header for header in response.headerlist if header[0] not in added]
            response.headerlist = [*headers, *added.items()]
        return response

    return respond


def _is_from_browser(request: ForumRequest) -> bool:
    """Return whether a browser shows the response; POST to /oauth/… comes from programs."""
    path = request.environ["PATH_INFO"]
    if path.startswith("/api/") or "text/html" not in request.headers.get("Accept", "").lower():
        return False
    is_page = request.page_context is not None
    return is_page or request.method in _SAFE_METHODS or not path.startswith("/oauth/")


def _render_as_html(request: ForumRequest, response: Response) -> bool:
    """Turn an error body into HTML; return False for other bodies: the report of /health, say."""
    if response.content_type != "application/json":
        return False
    body = orjson.loads(response.body)
    described = body.get("error_description") or body.get("message") or body.get("error")
    # It may be a Message, which the body is not.
    message = request.error or described
    if not isinstance(message, str):
        return False
    if isinstance(message, Message) and message.msgid == DENIED:
        message = _DENIED.get(message.code, message)
    error = getattr(request, "exception", None)
    if isinstance(error, Invalid):
        message = as_sentence(request, f"'{error.field}'", error.reason)
        if request.method in _SAFE_METHODS and error.field in _PLACES:
            message = _NO_SUCH_PLACE
    # Without a page context it shows no account: an error page must not need the database.
    values: dict[str, Any] = {
        "title": _TITLES.get(response.status_int, _PROBLEM),
        "message": message,
        "is_missing": response.status_int in (404, 410),
        "is_denied": response.status_int == 403,
        "kept": kept_text.written(request),
        "request_id": request.environ[REQUEST_ID] if response.status_int >= 500 else None,
    }
    template = "error"
    if values["kept"] and request.caller is not None and isinstance(error, BadCSRFToken):
        template, values["why"] = "resume", _OTHER_LOGIN
    response.content_type = "text/html"
    response.charset = "utf-8"
    response.text = render(f"templates/{template}.jinja2", values, request=request)
    return True


def includeme(config: Configurator) -> None:
    """Add the tween: above the error views, below the compression."""
    config.add_tween(
        "forumsvc.pages.page_tween.page_tween",
        under="forumsvc.web.pipeline.compression.gzip_tween",
        over="pyramid_tm.tm_tween_factory",
    )
