"""The authorization endpoint (RFC 6749 §4.1): what is asked, and where the answer goes.

The pages show the question; here is no HTML. Every address that comes out of here leads to a
redirect URI that is registered, with `state` and `iss` (RFC 9207) on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

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
from . import clients, codes, resource_owners, sessions
from .code_grant import CodeGrant
from .messages import unique_parameters
from .provider import Provider
from .validator import ClientValidator

_CLIENT_PARAMETERS = {"client_id", "redirect_uri"}
_REQUEST_PARAMETERS = {"response_type", "scope", "state", "code_challenge", "code_challenge_method"}
PARAMETERS = tuple(sorted(_CLIENT_PARAMETERS | _REQUEST_PARAMETERS))
"""What an authorization request consists of: a form that repeats it carries these."""


class RedirectableError(Exception):
    """The client is told by way of the browser. location: where that is to go."""

    def __init__(self, location: str) -> None:
        super().__init__("The authorization request is refused.")
        self.location = location


class NonRedirectableError(Exception):
    """There is nobody whom it would be safe to tell: the person is told, on a page of ours."""


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A good authorization request.

    redirect_uri: where the answer goes; parameters: the request, to be repeated in a form.
    """

    client: clients.Client
    redirect_uri: str
    scopes: tuple[str, ...]
    parameters: dict[str, str]


def validate_authorization_request(
    provider: Provider, parameters: Sequence[tuple[str, str]]
) -> AuthorizationRequest:
    """Check an authorization request before anybody is asked anything.

    Raises NonRedirectableError where client or redirect URI are not good, else RedirectableError.
    """
    validator = AuthorizationValidator(provider)
    whom = _validate_client(validator, parameters)
    try:
        what = unique_parameters(parameters, _REQUEST_PARAMETERS)
    except InvalidRequestError as error:
        _raise_redirectable(provider, error, validator.redirect_uri, _state_of(parameters))
    asked = {**whom, **what}
    try:
        scopes, _ = _endpoint(validator).validate_authorization_request(
            provider.issuer, "GET", list(asked.items())
        )
    except FatalClientError as error:
        raise NonRedirectableError(error.description) from None
    except OAuth2Error as error:
        _raise_redirectable(provider, error, validator.redirect_uri, what.get("state"))
    return AuthorizationRequest(validator.client, validator.redirect_uri, tuple(scopes), asked)


def approve(provider: Provider, request: AuthorizationRequest, user_id: int, session: str) -> str:
    """Issue a code for what the user approved, and return where the browser is to go.

    session: the secret of the browser session in which the user approved. Raises RedirectableError
    if the client, the user or the session no longer exists.
    """
    held = resource_owners.lock_client_and_user(provider.db, request.client, user_id)
    # Judged under the lock: who logs out everywhere at this moment must not find a code left.
    if held is None or sessions.find(provider.db, session, clock.now()) is None:
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
    """Tell the client that the user does not want to. Raises RedirectableError."""
    error = AccessDeniedError("The user said no.")
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
        whom = unique_parameters(parameters, _CLIENT_PARAMETERS)
    except InvalidRequestError as error:
        raise NonRedirectableError(error.description) from None
    if "client_id" not in whom:
        raise NonRedirectableError("Missing client_id parameter.")
    if not validator.find_client(whom["client_id"]):
        raise NonRedirectableError("There is no such client.")
    if not validator.client.is_enabled:
        raise NonRedirectableError("The client is disabled: its owner is blocked or deleted.")
    given = whom.get("redirect_uri")
    uris = validator.redirect_uris
    if given is None and len(uris) != 1:
        raise NonRedirectableError("Missing redirect_uri parameter.")
    if given is not None and not validator.is_registered_redirect_uri(given):
        raise NonRedirectableError("The redirect URI is not one that the client registered.")
    validator.redirect_uri = given or uris[0]
    return whom


def _endpoint(validator: "AuthorizationValidator") -> AuthorizationEndpoint:
    return AuthorizationEndpoint(
        default_response_type="code",
        default_token_type=None,
        response_types={"code": CodeGrant(validator)},
    )


class AuthorizationValidator(ClientValidator):
    """oauthlib's questions at the authorization endpoint."""

    def __init__(self, provider: Provider, *, user_id: int | None = None) -> None:
        """Take what to work with. user_id: who allows it, once somebody does."""
        super().__init__(provider)
        self.redirect_uri = ""
        self._user_id = user_id

    def find_client(self, client_id: str) -> bool:
        """Find the client that is named; return whether there is one."""
        with self.provider.reads.connect() as connection:
            self._client = clients.find(connection, client_id)
        return self._client is not None

    def validate_client_id(
        self, client_id: str, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Return True: it was found before oauthlib was asked."""
        request.client = self.client
        return True

    def validate_redirect_uri(
        self, client_id: str, redirect_uri: str, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Return whether the redirect URI is registered."""
        return self.is_registered_redirect_uri(redirect_uri)

    def get_default_redirect_uri(
        self, client_id: str, request: Request, *args: Any, **kwargs: Any
    ) -> str | None:
        """Return the registered redirect URI, where it is the only one."""
        uris = self.redirect_uris
        return uris[0] if len(uris) == 1 else None

    def validate_response_type(
        self,
        client_id: str,
        response_type: str,
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether the client may ask for a code. oauthlib lets more pass than `code`."""
        if response_type != "code":
            raise UnsupportedResponseTypeError(request=request)
        if "authorization_code" not in self.client.grants:
            raise UnauthorizedClientError(request=request)
        return True

    def save_authorization_code(
        self, client_id: str, code: dict[str, str], request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Store a code of our own making in place of oauthlib's, which has 178 bits."""
        if self._user_id is None:
            raise InvalidRequestFatalError("Nobody has allowed it.")
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
