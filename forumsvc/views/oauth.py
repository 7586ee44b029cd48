"""The OAuth 2 endpoints for clients; the authorization endpoint is one of the pages."""

from collections.abc import Callable

import orjson
from oauthlib.oauth2 import OAuth2Error
from pyramid.config import Configurator
from pyramid.response import Response

from ..oauth import messages, metadata, server
from ..oauth.messages import OAuthRequest, OAuthResponse
from ..oauth.provider import Provider
from ..permissions import Common
from ..resources.public import Public
from ..web.api.request import ForumRequest

Endpoint = Callable[[Provider, OAuthRequest], OAuthResponse]


def provider_of(request: ForumRequest) -> Provider:
    """Return the provider for a request, which must have a transaction."""
    return Provider(
        request.registry.database.reads,
        request.db,
        request.settings,
        request.site.base_url,
        request.registry.abuse_limits.count_token_request,
    )


def _respond(endpoint: Endpoint, request: ForumRequest) -> Response:
    parameters: list[tuple[str, str]] = []
    try:
        parameters = messages.read_body(request.headers.get("Content-Type", ""), request.body)
        oauth_request = OAuthRequest(
            request.method, request.url, request.headers, parameters, request.remote_addr or ""
        )
        result = endpoint(provider_of(request), oauth_request)
    except OAuth2Error as error:
        result = messages.error_response(error)
    response = Response(status=result.status, content_type="application/json")
    response.body = orjson.dumps(result.body)
    response.headers.update(result.headers)
    if endpoint is server.token and _is_wrong_password(parameters, result):
        _set_wrong_password_status(response, request)
    if result.commit:
        # An error response is rolled back unless it asks for a commit.
        response.headers["X-Tm"] = "commit"
    return response


def _is_wrong_password(parameters: list[tuple[str, str]], result: OAuthResponse) -> bool:
    is_password = ("grant_type", "password") in parameters
    return is_password and result.body.get("error") == "invalid_grant"


def _set_wrong_password_status(response: Response, request: ForumRequest) -> None:
    """Set the status of a wrong password that clients of the configured envelope expect."""
    response.status_int = request.registry.envelope.wrong_password_status
    if response.status_int == 401:
        response.headers["WWW-Authenticate"] = "Bearer"  # RFC 9110 §15.5.2


def token(context: Public, request: ForumRequest) -> Response:
    """Issue a token for a grant."""
    return _respond(server.token, request)


def revoke(context: Public, request: ForumRequest) -> Response:
    """Revoke a token (RFC 7009)."""
    return _respond(server.revoke, request)


def introspect(context: Public, request: ForumRequest) -> Response:
    """Introspect a token (RFC 7662)."""
    return _respond(server.introspect, request)


def describe(context: Public, request: ForumRequest) -> Response:
    """Return the provider's metadata (RFC 8414)."""
    response = Response(content_type="application/json")
    response.body = orjson.dumps(metadata.authorization_server_metadata(request.site.base_url))
    return response


def includeme(config: Configurator) -> None:
    for name, view in (("token", token), ("revoke", revoke), ("introspect", introspect)):
        config.add_route(f"oauth_{name}", f"/oauth/{name}", factory=Public)
        config.add_view(
            view,
            route_name=f"oauth_{name}",
            request_method="POST",
            permission=Common.VIEW,
            require_csrf=False,  # clients send no cookie
        )
    config.add_route("oauth_metadata", "/.well-known/oauth-authorization-server", factory=Public)
    config.add_view(
        describe, route_name="oauth_metadata", request_method="GET", permission=Common.VIEW
    )
