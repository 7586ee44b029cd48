"""CORS: which other origins' scripts may call, without cookies (Fetch standard)."""

from typing import Any

from pyramid.response import Response

from ...settings import Settings
from ..api.request import ForumRequest, Handler
from ..registry import ForumRegistry

_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_EXPOSED = (
    "Allow, Deprecation, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, "
    "RateLimit, RateLimit-Policy, Replies-Total, Retry-After, WWW-Authenticate, X-Request-Id, "
    "X-Total-Count"
)
_DAY = "86400"


def cors_tween(handler: Handler, registry: ForumRegistry) -> Handler:
    """Answer preflights, and let the allowed origins read every response, also errors."""
    origins: frozenset[str] = registry.forum_settings["http.cors_origins"]
    everybody = "*" in origins

    def cors(request: ForumRequest) -> Any:
        origin = request.environ.get("HTTP_ORIGIN")
        # Caches give a script what a page without `Origin` got: with `*` all answers are the same.
        allowed = "*" if everybody else origin if (origin or "").lower() in origins else None
        if allowed is None:
            response = handler(request)
        else:
            response = (origin and _preflight(request)) or handler(request)
            response.headerlist += [
                ("Access-Control-Allow-Origin", allowed),
                ("Access-Control-Expose-Headers", _EXPOSED),
            ]
        if origins and not everybody:
            response.headers.add("Vary", "Origin")
        return response

    return cors if origins else handler


def error_headers(settings: Settings) -> list[tuple[str, str]]:
    """Return the headers of errors that the server answers itself, for whatever origin."""
    everybody = "*" in settings["http.cors_origins"]
    return [("Access-Control-Allow-Origin", "*")] if everybody else []


def _preflight(request: ForumRequest) -> Response | None:
    environ = request.environ
    if (
        environ["REQUEST_METHOD"] != "OPTIONS"
        or "HTTP_ACCESS_CONTROL_REQUEST_METHOD" not in environ
    ):
        return None
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = _METHODS
    requested = environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS")
    if requested:
        response.headers["Access-Control-Allow-Headers"] = requested
    response.headers["Access-Control-Max-Age"] = _DAY
    return response
