"""oauthlib's callbacks about clients and scopes, which all endpoints share."""

from collections.abc import Mapping
from datetime import datetime

from oauthlib.common import Request
from oauthlib.oauth2 import InvalidClientError, RequestValidator, UnauthorizedClientError

from .. import clock
from ..permissions import DEFAULT_SCOPES
from . import clients, redirects
from .messages import client_credentials
from .provider import Provider


class ClientValidator(RequestValidator):
    """Validates one request. commit: whether to commit although the response is an error."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.now: datetime = clock.now()
        self.commit = False
        self._client: clients.Client | None = None

    @property
    def client(self) -> clients.Client:
        """The client that sent the request."""
        assert self._client is not None, "every endpoint authenticates it first"  # noqa: S101
        return self._client

    @property
    def redirect_uris(self) -> tuple[str, ...]:
        """The registered redirect URIs, as absolute URIs."""
        issuer = self.provider.issuer
        return tuple(redirects.absolute_uri(uri, issuer) for uri in self.client.redirect_uris)

    def get_default_redirect_uri(self, client_id: str, request: Request) -> str | None:
        """Return the registered redirect URI if there is exactly one."""
        uris = self.redirect_uris
        return uris[0] if len(uris) == 1 else None

    def is_registered_redirect_uri(self, redirect_uri: str) -> bool:
        """Return whether the client registered the redirect URI."""
        issuer = self.provider.issuer
        return any(
            redirects.matches(uri, redirect_uri, issuer) for uri in self.client.redirect_uris
        )

    def authenticate_request(
        self, headers: Mapping[str, str], parameters: Mapping[str, str]
    ) -> None:
        """Authenticate the client. Raises InvalidClientError and InvalidRequestError."""
        client_id, secret = client_credentials(headers, parameters)
        with self.provider.reads.connect() as connection:
            self._client = clients.authenticate(connection, client_id, secret)
        if self._client is None:
            raise InvalidClientError("Client authentication failed.")
        if not self.client.is_enabled:
            raise InvalidClientError("The client is disabled: its owner is blocked or deleted.")

    def require_grant_type(self, grant: str) -> None:
        """Raise UnauthorizedClientError if the client may not use a grant type.

        It is called first, before any password is hashed.
        """
        if grant in clients.GRANTS and grant not in self.client.grants:
            raise UnauthorizedClientError("The client may not use this grant.")

    def client_authentication_required(self, request: Request) -> bool:
        """Return whether the client must authenticate: a confidential one must."""
        return not self.client.public

    def authenticate_client(self, request: Request) -> bool:
        """Return whether this is a confidential client; `authenticate_request` checked it."""
        request.client = self.client
        return not self.client.public

    def authenticate_client_id(self, client_id: str, request: Request) -> bool:
        """Return whether this is a public client, which sends its client_id alone."""
        request.client = self.client
        return self.client.public

    def validate_grant_type(
        self, client_id: str, grant_type: str, client: clients.Client, request: Request
    ) -> bool:
        """Return whether the client may use the grant type."""
        return grant_type in client.grants

    def get_default_scopes(self, client_id: str, request: Request) -> list[str]:
        """Return the scopes for a request that names none.

        A client that has others gets `admin` only where the request names it.
        """
        usual = [scope for scope in self.client.scopes if scope in DEFAULT_SCOPES]
        return usual or list(self.client.scopes)

    def validate_scopes(
        self, client_id: str, scopes: list[str], client: clients.Client, request: Request
    ) -> bool:
        """Return whether the client may have these scopes; duplicates are removed."""
        request.scopes = [scope for scope in clients.SCOPES if scope in scopes]
        return set(scopes) <= set(self.client.scopes)

    def is_pkce_required(self, client_id: str, request: Request) -> bool:
        """Return whether the client must send a code challenge (RFC 9700 §2.1.1)."""
        return self.client.public or bool(self.provider.settings["oauth.require_pkce"])
