"""oauthlib's questions, answered from our tables: one validator a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from oauthlib.common import Request
from oauthlib.oauth2 import (
    InvalidClientError,
    InvalidGrantError,
    RequestValidator,
    UnauthorizedClientError,
)
from sqlalchemy import Engine, Row
from sqlalchemy.orm import Session

from .. import clock
from . import clients, owners, tokens
from .messages import client_credentials
from .secret import new_secret


@dataclass(frozen=True, slots=True)
class Provider:
    """What the provider works with.

    reads: connections that see committed rows; db: the request's transaction, which on SQLite
    holds the write lock from its first statement on, so that everything that can be checked is
    checked with `reads` before; settings: the checked settings.
    """

    reads: Engine
    db: Session
    settings: Mapping[str, Any]


class Validator(RequestValidator):
    """Answers for one request; `commit` says whether a refusal has written what must stay."""

    def __init__(self, provider: Provider) -> None:
        """Take what to work with; nothing is asked yet."""
        self.provider = provider
        self.now: datetime = clock.now()
        self.commit = False
        self.client: clients.Client | None = None
        self._owner: owners.Owner | None = None
        self._refreshed: Row[Any] | None = None

    def recognize(self, headers: Mapping[str, str], parameters: Mapping[str, str]) -> None:
        """Find out which client calls. Raises InvalidClientError, InvalidRequestError."""
        client_id, secret = client_credentials(headers, parameters)
        with self.provider.reads.connect() as connection:
            self.client = clients.authenticate(connection, client_id, secret)
        if self.client is None:
            raise InvalidClientError("Client authentication failed.")

    def allow_grant(self, grant: str) -> None:
        """Refuse a grant that the client may not use, before anything costly is done for it."""
        assert self.client is not None  # noqa: S101 - recognized before
        if grant in clients.GRANTS and grant not in self.client.grants:
            raise UnauthorizedClientError("The client may not use this grant.")

    # What oauthlib asks of the client.

    def client_authentication_required(self, request: Request, *args: Any, **kwargs: Any) -> bool:
        """Return whether the client has a secret to prove itself with."""
        return self.client is not None and not self.client.public

    def authenticate_client(self, request: Request, *args: Any, **kwargs: Any) -> bool:
        """Return whether a client with a secret has proven itself."""
        request.client = self.client
        return self.client_authentication_required(request)

    def authenticate_client_id(
        self, client_id: str, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Return whether a public client has named itself."""
        request.client = self.client
        return self.client is not None and self.client.public

    def validate_grant_type(
        self,
        client_id: str,
        grant_type: str,
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether the client may use the grant."""
        return grant_type in client.grants

    # What it asks of scopes.

    def get_default_scopes(
        self, client_id: str, request: Request, *args: Any, **kwargs: Any
    ) -> list[str]:
        """Return what a client gets that asks for nothing in particular."""
        return list(request.client.scopes)

    def validate_scopes(
        self,
        client_id: str,
        scopes: list[str],
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether the client may have these scopes; doubled ones become one."""
        request.scopes = [scope for scope in clients.SCOPES if scope in scopes]
        return set(scopes) <= set(client.scopes)

    def get_original_scopes(
        self, refresh_token: str, request: Request, *args: Any, **kwargs: Any
    ) -> str:
        """Return what the refresh token may ask for."""
        assert self._refreshed is not None  # noqa: S101 - validated before
        return str(self._refreshed.refresh_scope)

    # What it asks of the grants.

    def validate_user(
        self,
        username: str,
        password: str,
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether the password is the user's, in the same time whether there is one."""
        self._owner = owners.check(self.provider.reads, username, password)
        return self._owner is not None

    def validate_refresh_token(
        self,
        refresh_token: str,
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether a refresh token can be used; one that was used before ends its family."""
        with self.provider.reads.connect() as connection:
            row = tokens.find_refresh(connection, refresh_token)
        if row is None or row.client_id != client.id:
            return False
        if row.refreshed_at is not None:
            self._punish(row.id)
            return False
        self._refreshed = row
        return row.revoked_at is None and row.refresh_expires_at > self.now

    def rotate_refresh_token(self, request: Request) -> bool:
        """Return True: every refresh token is used once."""
        return True

    def save_token(
        self, token: dict[str, Any], request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Use up what the client brought, write what it gets, and complete the response.

        Raises InvalidGrantError where what it brought was used up, changed or gone meanwhile.
        """
        assert self.client is not None  # noqa: S101 - recognized before
        given = self._claim(request)
        if given.user_id is None or "refresh_token" not in self.client.grants:
            token.pop("refresh_token", None)
        tokens.store(
            self.provider.db, given, token["access_token"], token.get("refresh_token"), self.now
        )
        token["scope"] = given.scope
        token["created_at"] = int(self.now.timestamp())

    def _claim(self, request: Request) -> tokens.Given:
        assert self.client is not None  # noqa: S101 - recognized before
        user_id, family, refresh_scope = None, new_secret(), None
        password_hash = None
        if self._refreshed is not None:
            user_id, family = self._refreshed.user_id, self._refreshed.family
            refresh_scope = self._refreshed.refresh_scope
        elif self._owner is not None:
            user_id, password_hash = self._owner.id, self._owner.password_hash
        db = self.provider.db
        if not owners.hold(db, self.client.id, user_id, password_hash):
            raise InvalidGrantError("The grant is no longer valid.")
        if self._owner is not None:
            owners.rehash(db, self._owner)
        if self._refreshed is not None and not tokens.spend_refresh(
            db, self._refreshed.id, self.now
        ):
            self._punish(self._refreshed.id)
            raise InvalidGrantError("The refresh token is no longer valid.")
        return tokens.Given(
            client_id=self.client.id,
            user_id=user_id,
            scope=" ".join(request.scopes),
            access_ttl=self.provider.settings["oauth.access_token_ttl"],
            refresh_ttl=self.provider.settings["oauth.refresh_token_ttl"],
            family=family,
            refresh_scope=refresh_scope,
        )

    def _punish(self, token_id: int) -> None:
        grace = self.provider.settings["oauth.refresh_grace"]
        ended = tokens.punish_reuse(self.provider.db, token_id, grace=grace, now=self.now)
        self.commit = self.commit or ended

    # What it asks of a revocation.

    def revoke_token(
        self, token: str, token_type_hint: str | None, request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """End a token; a refresh token with its whole family (RFC 7009 §2.1).

        An unknown one is no error, another client's is: raises InvalidGrantError.
        """
        assert self.client is not None  # noqa: S101 - recognized before
        with self.provider.reads.connect() as connection:
            row = tokens.find_presented(connection, token)
        if row is None:
            return
        if row.client_id != self.client.id:
            raise InvalidGrantError("The token was issued to another client.")
        if row.access_hash == tokens.digest(token):
            tokens.revoke_token(self.provider.db, row.id, self.now)
        else:
            tokens.revoke_family(self.provider.db, row.family, self.now)
