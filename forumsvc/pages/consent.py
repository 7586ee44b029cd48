"""/oauth/authorize: who asks, for what, to where; Allow or Cancel."""

import re
from urllib.parse import urlsplit

import orjson
from pyramid.config import Configurator
from pyramid.response import Response

from ..oauth import authorization_endpoint
from ..oauth.authorization_endpoint import (
    AuthorizationRequest,
    NonRedirectableError,
    RedirectableError,
)
from ..oauth.provider import Provider
from ..permissions import Common
from ..web.api.request import ForumRequest
from .page_context import LoginNeeded, Visit, anybodys
from .paths import own_path, see_other, with_query
from .templating import page

ROUTE = "oauth_authorize"
_HOST = re.compile(r"[a-z0-9.-]+(:[0-9]+)?", re.ASCII)


def show(visit: Visit, request: ForumRequest) -> Response:
    """Ask the person, after the request was found good and somebody has logged in."""
    asked = _asked(visit, request)
    # Browsers hold the redirect that answers a form to its page's policy.
    visit.policy["form-action"] = f"'self' {_source(asked.redirect_uri)}"
    return page(visit, "consent.html", asked=asked, destination=_destination(asked.redirect_uri))


def answer(visit: Visit, request: ForumRequest) -> Response:
    """Bring the person's answer to the client."""
    asked = _asked(visit, request)
    visit.policy["form-action"] = f"'self' {_source(asked.redirect_uri)}"
    provider = _provider(request)
    if request.parameters.get("answer") != "allow":
        authorization_endpoint.deny(provider, asked)
    return see_other(
        authorization_endpoint.approve(provider, asked, request.actor_id, visit.session)
    )


def refused(error: RedirectableError, request: ForumRequest) -> Response:
    """Tell the client, by way of the browser."""
    return see_other(error.location)


def unanswerable(error: NonRedirectableError, request: ForumRequest) -> Response:
    """Tell the person: it is not safe to send the browser anywhere."""
    response = Response(status=400, content_type="application/json")
    body = {"error": "invalid_request", "error_description": str(error)}
    response.body = orjson.dumps(body)
    return response


def _asked(visit: Visit, request: ForumRequest) -> AuthorizationRequest:
    asked = authorization_endpoint.validate_authorization_request(
        _provider(request), _parameters(request)
    )
    if visit.person is None:
        again = with_query(request.route_path(ROUTE), **asked.parameters)
        raise LoginNeeded(own_path(again))
    return asked


def _provider(request: ForumRequest) -> Provider:
    reads = request.registry.database.reads
    return Provider(reads, request.db, request.settings, request.site.base_url)


def _parameters(request: ForumRequest) -> list[tuple[str, str]]:
    return [
        (name, value)
        for name in authorization_endpoint.PARAMETERS
        for value in request.parameters.get_from_query_and_body(name)
        if isinstance(value, str)
    ]


def _destination(redirect_uri: str) -> str:
    """Return to where the answer goes, as people know it: a host, or an application's scheme."""
    parts = urlsplit(redirect_uri)
    return parts.netloc or f"{parts.scheme}:"


def _source(redirect_uri: str) -> str:
    """Return the redirect URI's origin as a CSP source; its scheme where it has none."""
    parts = urlsplit(redirect_uri)
    if parts.scheme in ("http", "https") and _HOST.fullmatch(parts.netloc.lower()):
        return f"{parts.scheme}://{parts.netloc.lower()}"
    return f"{parts.scheme}:"


def includeme(config: Configurator) -> None:
    """Add the address."""
    config.add_route(ROUTE, "/oauth/authorize", factory=anybodys)
    config.add_view(show, route_name=ROUTE, request_method="GET", permission=Common.VIEW)
    config.add_view(answer, route_name=ROUTE, request_method="POST", permission=Common.VIEW)
    config.add_exception_view(refused, context=RedirectableError)
    config.add_exception_view(unanswerable, context=NonRedirectableError)
