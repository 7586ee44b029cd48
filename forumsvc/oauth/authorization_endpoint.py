"""The authorization endpoint (RFC 6749 §4.1): validates requests and builds the redirects.

The HTML is in `pages.oauth.consent`. Every URL that this module returns is a registered redirect
URI with `state` and `iss` (RFC 9207) added.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from oauthlib.common import Request, add_params_to_uri
from oauthlib.oauth2 import (
    AccessDeniedError,
    FatalClientError,
    InvalidRequestError,
    InvalidRequestFatalError,
    OAuth2Error,
    UnauthorizedClientError,
    UnsupportedResponseTypeError,
)
from oauthlib.oauth2.rfc6749.endpoints.authorization import AuthorizationEndpoint

from .. import clock
from ..sessions import browser_sessions
from . import clients, codes, resource_owners
from .code_grant import CodeGrant
from .messages import unique_parameters
from .provider import Provider
from .validator import ClientValidator

_CLIENT_PARAMETERS = {"client_id", "redirect_uri"}
_REQUEST_PARAMETERS = {"response_type", "scope", "state", "code_challenge", "code_challenge_method"}
PARAMETERS = tuple(sorted(_CLIENT_PARAMETERS | _REQUEST_PARAMETERS))
"""All parameters of an authorization request; the consent form repeats them."""


class RedirectableError(Exception):
    """An error that is reported to the client. location: the redirect that carries it."""

    def __init__(self, location: str) -> None:
        super().__init__("The authorization request is refused.")
        self.location = location


class NonRedirectableError(Exception):
    """An error in the client or the redirect URI: it is shown to the user, without a redirect."""


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A valid authorization request.

    redirect_uri: where the response goes; parameters: the request, for the consent form.
    """

    client: clients.Client
    redirect_uri: str
    scopes: tuple[str, ...]
    parameters: dict[str, str]


def validate_authorization_request(
    provider: Provider, parameters: Sequence[tuple[str, str]]
) -> AuthorizationRequest:
    """Return the request if it is valid.

    Raises NonRedirectableError for an error in the client or the redirect URI, and
    RedirectableError for any other.
    """
    validator = AuthorizationValidator(provider)
    client_parameters = _validate_client(validator, parameters)
    try:
        request_parameters = unique_parameters(parameters, _REQUEST_PARAMETERS)
    except InvalidRequestError as error:
        _raise_redirectable(provider, error, validator.redirect_uri, _state_of(parameters))
    all_parameters = {**client_parameters, **request_parameters}
    try:
        scopes, _ = _endpoint(validator).validate_authorization_request(
            provider.issuer, "GET", list(all_parameters.items())
        )
    except FatalClientError as error:
        raise NonRedirectableError(error.description) from None
    except OAuth2Error as error:
        state = request_parameters.get("state")
        _raise_redirectable(provider, error, validator.redirect_uri, state)
    return AuthorizationRequest(
        validator.client, validator.redirect_uri, tuple(scopes), all_parameters
    )


def approve(provider: Provider, request: AuthorizationRequest, user_id: int, session: str) -> str:
    """Issue a code for the approved request, and return the URL to redirect the browser to.

    session: the secret of the browser session in which the user approved. Raises RedirectableError
    if the client, the user or the session no longer exists.
    """
    locked = resource_owners.lock_client_and_user(provider.db, request.client, user_id)
    # The session is checked under the lock: a concurrent "log out everywhere" must not miss this
    # code.
    if locked is None or browser_sessions.find(provider.db, session, clock.now()) is None:
        deny(provider, request)
    validator = AuthorizationValidator(provider, user_id=user_id)
    validator.find_client(request.parameters["client_id"])
    headers, _, _ = _endpoint(validator).create_authorization_response(
        provider.issuer,
        "GET",
        list(request.parameters.items()),
        scopes=list(request.scopes),
    )
    return _with_issuer(provider, headers["Location"])


def deny(provider: Provider, request: AuthorizationRequest) -> NoReturn:
    """Report to the client that the user denied the request. Raises RedirectableError."""
    error = AccessDeniedError("The user denied the request.")
    _raise_redirectable(provider, error, request.redirect_uri, request.parameters.get("state"))


def _raise_redirectable(
    provider: Provider, error: OAuth2Error, redirect_uri: str, state: str | None
) -> NoReturn:
    error.state = state
    raise RedirectableError(_with_issuer(provider, error.in_uri(redirect_uri)))


def _with_issuer(provider: Provider, location: str) -> str:
    return str(add_params_to_uri(location, [("iss", provider.issuer)]))


def _state_of(parameters: Sequence[tuple[str, str]]) -> str | None:
    try:
        return unique_parameters(parameters, {"state"}).get("state")
    except InvalidRequestError:
        return None


def _validate_client(
    validator: "AuthorizationValidator", parameters: Sequence[tuple[str, str]]
) -> dict[str, str]:
    try:
        client_parameters = unique_parameters(parameters, _CLIENT_PARAMETERS)
    except InvalidRequestError as error:
        raise NonRedirectableError(error.description) from None
    if "client_id" not in client_parameters:
        raise NonRedirectableError("Missing client_id parameter.")
    if not validator.find_client(client_parameters["client_id"]):
        raise NonRedirectableError("There is no such client.")
    if not validator.client.is_enabled:
        raise NonRedirectableError("The client is disabled: its owner is blocked or deleted.")
    redirect_uri = client_parameters.get("redirect_uri")
    uris = validator.redirect_uris
    if redirect_uri is None and len(uris) != 1:
        raise NonRedirectableError("Missing redirect_uri parameter.")
    if redirect_uri is not None and not validator.is_registered_redirect_uri(redirect_uri):
        raise NonRedirectableError("The redirect URI is not one that the client registered.")
    validator.redirect_uri = redirect_uri or uris[0]
    return client_parameters


def _endpoint(validator: "AuthorizationValidator") -> AuthorizationEndpoint:
    return AuthorizationEndpoint(
        default_response_type="code",
        default_token_type=None,
        response_types={"code": CodeGrant(validator)},
    )


class AuthorizationValidator(ClientValidator):
    """Implements oauthlib's callbacks for the authorization endpoint."""

    def __init__(self, provider: Provider, *, user_id: int | None = None) -> None:
        """user_id: the user who approved the request, or None while it is only validated."""
        super().__init__(provider)
        self.redirect_uri = ""
        self._user_id = user_id

    def find_client(self, client_id: str) -> bool:
        """Load the client; return whether it exists."""
        with self.provider.reads.connect() as connection:
            self._client = clients.find(connection, client_id)
        return self._client is not None

    def validate_client_id(self, client_id: str, request: Request) -> bool:
        """Return True: the client was loaded before oauthlib was called."""
        request.client = self.client
        return True

    def validate_redirect_uri(self, client_id: str, redirect_uri: str, request: Request) -> bool:
        """Return whether the redirect URI is registered."""
        return self.is_registered_redirect_uri(redirect_uri)

    def validate_response_type(
        self, client_id: str, response_type: str, client: clients.Client, request: Request
    ) -> bool:
        """Return whether the client may request a code; oauthlib accepts more than `code`."""
        if response_type != "code":
            raise UnsupportedResponseTypeError(request=request)
        if "authorization_code" not in self.client.grants:
            raise UnauthorizedClientError(request=request)
        return True

    def save_authorization_code(
        self, client_id: str, code: dict[str, str], request: Request
    ) -> None:
        """Store a code of 256 bits instead of oauthlib's, which has 178."""
        if self._user_id is None:
            raise InvalidRequestFatalError("The request was not approved.")
        code["code"] = codes.issue(
            self.provider.db,
            client_id=self.client.id,
            user_id=self._user_id,
            redirect_uri=None if request.using_default_redirect_uri else request.redirect_uri,
            scope=" ".join(request.scopes),
            challenge=request.code_challenge,
            ttl=self.provider.settings["oauth.code_ttl"],
            now=self.now,
        )
