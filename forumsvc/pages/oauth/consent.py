"""/oauth/authorize: the consent page, with which a user approves or denies a client's request."""

from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson
from pyramid.response import Response
from pyramid.view import exception_view_config

from ...oauth import authorization_endpoint, clients
from ...oauth.authorization_endpoint import (
    AuthorizationRequest,
    NonRedirectableError,
    RedirectableError,
)
from ...oauth.provider import Provider
from ...permissions import Common
from ...web.api.request import ForumRequest
from ..page import page, page_form
from ..page_context import LoginRequired, PageContext, public_page
from ..paths import safe_redirect_path, see_other, with_query

ROUTE = "oauth_authorize"


@page(ROUTE, "/oauth/authorize", public_page, Common.VIEW, "consent", needs=None)
def show(context: PageContext, request: ForumRequest) -> dict[str, Any]:
    """Show the request to a logged-in user, after it was validated."""
    authorization_request = _authorization_request(context, request)
    context.let_forms_leave()
    return {
        "authorization_request": authorization_request,
        "destination": _destination_name(authorization_request.redirect_uri),
    }


@page_form(show)
def submit(context: PageContext, request: ForumRequest) -> Response:
    """Redirect to the client with a code, or with `access_denied`."""
    authorization_request = _authorization_request(context, request)
    provider = _provider(request)
    if request.parameters.get("answer") != "allow":
        authorization_endpoint.deny(provider, authorization_request)
    return see_other(
        authorization_endpoint.approve(
            provider, authorization_request, request.actor_id, context.session_secret
        )
    )


@exception_view_config(RedirectableError)
def redirect_with_error(error: RedirectableError, request: ForumRequest) -> Response:
    return see_other(error.location)


@exception_view_config(NonRedirectableError)
def show_error(error: NonRedirectableError, request: ForumRequest) -> Response:
    """Show an error to the user: no redirect URI is known to be safe."""
    response = Response(status=400, content_type="application/json")
    body = {"error": "invalid_request", "error_description": str(error)}
    response.body = orjson.dumps(body)
    return response


def _authorization_request(context: PageContext, request: ForumRequest) -> AuthorizationRequest:
    parameters = _parameters(request)
    try:
        authorization_request = authorization_endpoint.validate_authorization_request(
            _provider(request), parameters
        )
    except RedirectableError:
        if context.user is None and _is_of_member(request, parameters):
            # Any member could make a link to this site lead visitors to another one.
            path = f"{request.route_path(ROUTE)}?{urlencode(parameters)}"
            raise LoginRequired(safe_redirect_path(path)) from None
        raise
    if context.user is None:
        this_request = with_query(request.route_path(ROUTE), **authorization_request.parameters)
        raise LoginRequired(safe_redirect_path(this_request))
    return authorization_request


def _is_of_member(request: ForumRequest, parameters: list[tuple[str, str]]) -> bool:
    # As for the request itself, an empty value is none.
    named = (value for name, value in parameters if name == "client_id" and value)
    client = clients.find(request.read_connection, next(named, ""))
    return client is not None and client.owner_id is not None


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


def _destination_name(redirect_uri: str) -> str:
    """Return where the redirect leads, for the page: a host, or an application's scheme."""
    parts = urlsplit(redirect_uri)
    return parts.netloc or f"{parts.scheme}:"
