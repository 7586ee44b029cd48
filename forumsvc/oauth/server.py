"""The provider's endpoints: a request as data in, a response as data out."""

import json
import logging
from typing import Any
from urllib.parse import urlsplit

from oauthlib.oauth2 import InvalidRequestError, OAuth2Error
from oauthlib.oauth2.rfc6749.endpoints.revocation import RevocationEndpoint
from oauthlib.oauth2.rfc6749.endpoints.token import TokenEndpoint
from oauthlib.oauth2.rfc6749.grant_types import (
    RefreshTokenGrant,
    ResourceOwnerPasswordCredentialsGrant,
)
from oauthlib.oauth2.rfc6749.tokens import BearerToken

from .messages import NO_STORE, Answer, Call, known_parameters, refusal, refusal_headers
from .secret import new_secret
from .validator import Provider, Validator

# At DEBUG oauthlib writes tokens, codes and passwords into the log.
logging.getLogger("oauthlib").setLevel(logging.WARNING)

_CLIENT = {"client_id", "client_secret"}
_TOKEN = _CLIENT | {"grant_type", "username", "password", "refresh_token", "scope"}
_PRESENTED = _CLIENT | {"token", "token_type_hint"}


def token(provider: Provider, call: Call) -> Answer:
    """Answer POST /oauth/token: RFC 6749 §§4.3, 5 and 6."""
    validator = Validator(provider)
    try:
        parameters = _recognize(validator, call, _TOKEN)
        grant = parameters.get("grant_type")
        if grant is None:
            raise InvalidRequestError("Missing grant_type parameter.")
        validator.allow_grant(grant)
        endpoint = _token_endpoint(validator)
        result = endpoint.create_token_response(*_plain(call, parameters))
    except OAuth2Error as error:
        return refusal(error, commit=validator.commit)
    return _answer(result, validator)


def revoke(provider: Provider, call: Call) -> Answer:
    """Answer POST /oauth/revoke: RFC 7009."""
    validator = Validator(provider)
    try:
        parameters = _recognize(validator, call, _PRESENTED)
        endpoint = RevocationEndpoint(validator)
        result = endpoint.create_revocation_response(*_plain(call, parameters))
    except OAuth2Error as error:
        return refusal(error, commit=validator.commit)
    return _answer(result, validator)


def _recognize(validator: Validator, call: Call, names: set[str]) -> dict[str, str]:
    parameters = known_parameters(call, names)
    validator.recognize(call.headers, parameters)
    assert validator.client is not None  # noqa: S101 - recognized
    parameters.pop("client_secret", None)
    parameters["client_id"] = validator.client.client_id
    return parameters


def _token_endpoint(validator: Validator) -> TokenEndpoint:
    settings = validator.provider.settings
    bearer = BearerToken(
        validator,
        token_generator=lambda request, refresh_token=False: new_secret(),
        expires_in=settings["oauth.access_token_ttl"],
    )
    return TokenEndpoint(
        default_grant_type="refresh_token",
        default_token_type=bearer,
        grant_types={
            "password": ResourceOwnerPasswordCredentialsGrant(validator),
            "refresh_token": RefreshTokenGrant(validator),
        },
    )


def _plain(call: Call, parameters: dict[str, str]) -> tuple[str, str, list[tuple[str, str]]]:
    """Return the call as oauthlib takes it: no query, no headers, known parameters alone."""
    uri = urlsplit(call.uri)._replace(query="", fragment="").geturl()
    return uri, call.method, list(parameters.items())


def _answer(result: tuple[dict[str, str], str, int], validator: Validator) -> Answer:
    _, text, status = result
    body: dict[str, Any] = json.loads(text) if text else {}
    headers = dict(NO_STORE) if status < 400 else refusal_headers(status)
    return Answer(status, headers, body, validator.commit)
