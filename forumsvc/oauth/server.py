"""The endpoints for clients (token, revocation, introspection), without the web framework."""

import json
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from oauthlib.oauth2 import InvalidClientError, InvalidRequestError, OAuth2Error
from oauthlib.oauth2.rfc6749.endpoints.introspect import IntrospectEndpoint
from oauthlib.oauth2.rfc6749.endpoints.revocation import RevocationEndpoint
from oauthlib.oauth2.rfc6749.endpoints.token import TokenEndpoint
from oauthlib.oauth2.rfc6749.grant_types import (
    ClientCredentialsGrant,
    RefreshTokenGrant,
    ResourceOwnerPasswordCredentialsGrant,
)
from oauthlib.oauth2.rfc6749.tokens import BearerToken

from ..errors import RateLimited
from ..process.passwords import PasswordsBusy
from ..sessions.token_hash import new_secret
from .code_grant import CodeGrant
from .messages import (
    NO_STORE,
    OAuthRequest,
    OAuthResponse,
    error_headers,
    error_response,
    known_parameters,
)
from .provider import Provider
from .token_endpoint import TokenValidator
from .token_management import TokenManagementValidator
from .validator import ClientValidator

# At DEBUG oauthlib writes tokens, codes and passwords into the log.
logging.getLogger("oauthlib").setLevel(logging.WARNING)

_CLIENT = {"client_id", "client_secret"}
_GRANT = {"grant_type", "username", "password", "refresh_token", "scope"}
_CODE = {"code", "redirect_uri", "code_verifier"}
_TOKEN = {"token", "token_type_hint"}

Parameters = list[tuple[str, str]]
Result = tuple[dict[str, str], str, int]
Endpoint = Callable[[str, str, Parameters], Result]


class _Throttled(OAuth2Error):
    """RFC 6749 has no error code for rate limiting; `temporarily_unavailable` is the closest."""

    error = "temporarily_unavailable"
    status_code = 429


class _Busy(_Throttled):
    """All slots for hashing passwords are taken."""

    status_code = 503


def token(provider: Provider, request: OAuthRequest) -> OAuthResponse:
    """Answer POST /oauth/token: RFC 6749 §§4.1.3, 4.3, 4.4, 5 and 6."""
    validator = TokenValidator(provider, request.address)

    def respond(uri: str, method: str, parameters: Parameters) -> Result:
        provider.limit_client(validator.client.client_id, request.address)
        grant = dict(parameters).get("grant_type")
        if grant is None:
            raise InvalidRequestError("Missing grant_type parameter.")
        validator.require_grant_type(grant)
        result: Result = _token_endpoint(validator).create_token_response(uri, method, parameters)
        return result

    return _respond(validator, request, _GRANT | _CODE, respond)


def revoke(provider: Provider, request: OAuthRequest) -> OAuthResponse:
    """Answer POST /oauth/revoke: RFC 7009."""
    validator = TokenManagementValidator(provider)
    endpoint = RevocationEndpoint(validator)
    response = _respond(validator, request, _TOKEN, endpoint.create_revocation_response)
    if response.status == 401 and "Authorization" not in request.headers:
        # RFC 6749 §5.2 asks for 401 only with that header. Some clients revoke after every 401.
        return response._replace(status=400, headers=error_headers(400))
    return response


def introspect(provider: Provider, request: OAuthRequest) -> OAuthResponse:
    """Answer POST /oauth/introspect: RFC 7662."""
    validator = TokenManagementValidator(provider)

    def respond(uri: str, method: str, parameters: Parameters) -> Result:
        validator.require_confidential_client()
        endpoint = IntrospectEndpoint(validator)
        result: Result = endpoint.create_introspect_response(uri, method, parameters)
        return result

    return _respond(validator, request, _TOKEN, respond)


def _token_endpoint(validator: TokenValidator) -> TokenEndpoint:
    bearer = BearerToken(
        validator,
        token_generator=lambda request, refresh_token=False: new_secret(),
        expires_in=validator.provider.settings["oauth.access_token_ttl"],
    )
    code_grant = CodeGrant(validator)
    return TokenEndpoint(
        default_grant_type="authorization_code",
        default_token_type=bearer,
        grant_types={
            "authorization_code": code_grant,
            "password": ResourceOwnerPasswordCredentialsGrant(validator),
            "client_credentials": ClientCredentialsGrant(validator),
            "refresh_token": RefreshTokenGrant(validator),
        },
    )


def _authenticate(
    validator: ClientValidator, request: OAuthRequest, parameters: dict[str, str]
) -> None:
    try:
        validator.authenticate_request(request.headers, parameters)
    except InvalidClientError:
        # Guesses of secrets, of whatever client, are counted together.
        validator.provider.limit_client("wrong credentials", request.address)
        raise


def _respond(
    validator: ClientValidator, request: OAuthRequest, names: set[str], endpoint: Endpoint
) -> OAuthResponse:
    try:
        parameters = known_parameters(request, _CLIENT | names)
        _authenticate(validator, request, parameters)
        parameters.pop("client_secret", None)
        parameters["client_id"] = validator.client.client_id
        # oauthlib gets neither query nor headers: what it needs of them is in `parameters`.
        uri = urlsplit(request.uri)._replace(query="", fragment="").geturl()
        _, text, status = endpoint(uri, request.method, list(parameters.items()))
    except OAuth2Error as error:
        return error_response(error, commit=validator.commit)
    except RateLimited as error:
        response = error_response(_Throttled(str(error)))
        response.headers["Retry-After"] = str(error.retry_after)
        return response
    except PasswordsBusy as error:
        response = error_response(_Busy(str(error)))
        response.headers["Retry-After"] = "1"
        return response
    body: dict[str, Any] = json.loads(text) if text else {}
    headers = dict(NO_STORE) if status < 400 else error_headers(status)
    return OAuthResponse(status, headers, body, validator.commit)
