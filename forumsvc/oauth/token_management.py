"""oauthlib's callbacks for token revocation (RFC 7009) and introspection (RFC 7662)."""

from datetime import datetime
from typing import Any

from oauthlib.common import Request
from oauthlib.oauth2 import InvalidClientError, InvalidGrantError
from sqlalchemy import Row

from ..models import UserState
from ..sessions.token_hash import hash_token
from . import revocation, tokens
from .validator import ClientValidator


class TokenManagementValidator(ClientValidator):
    def require_confidential_client(self) -> None:
        """Raise InvalidClientError for a public client, whose client_id anybody can use."""
        if self.client.public:
            raise InvalidClientError("A public client may not do this.")

    def revoke_token(self, token: str, token_type_hint: str | None, request: Request) -> None:
        """Revoke a token; a refresh token with its whole family (RFC 7009 §2.1).

        An unknown token is no error. Raises InvalidGrantError for a token of another client.
        """
        with self.provider.reads.connect() as connection:
            row = tokens.find_by_any_token(connection, token)
        if row is None:
            return
        if row.client_id != self.client.id:
            raise InvalidGrantError("The token was issued to another client.")
        if row.access_hash == hash_token(token):
            revocation.revoke_token(self.provider.db, row.id, self.now)
        else:
            revocation.revoke_family(self.provider.db, row.family, self.now)

    def introspect_token(
        self, token: str, token_type_hint: str | None, request: Request
    ) -> dict[str, Any] | None:
        """Return the claims of a token, or None if it is not active.

        A token of another client is not active, unless the client may introspect those, too
        (RFC 7662 §2.2).
        """
        with self.provider.reads.connect() as connection:
            row = tokens.find_by_any_token(connection, token)
        if row is None or row.revoked_at is not None or row.state == UserState.DELETED:
            return None
        if row.client_id != self.client.id and not self.client.introspects:
            return None
        is_access = row.access_hash == hash_token(token)
        return _claims(row, self.now, is_access=is_access)


def _claims(row: Row[Any], now: datetime, *, is_access: bool) -> dict[str, Any] | None:
    expires = row.access_expires_at if is_access else row.refresh_expires_at
    if expires <= now or not (is_access or row.refreshed_at is None):
        return None
    claims = {
        "scope": row.scope if is_access else row.refresh_scope,
        "client_id": row.client,
        "sub": row.client if row.user_id is None else str(row.user_id),
        "iat": int(row.created_at.timestamp()),
        "exp": int(expires.timestamp()),
    }
    if row.user_id is not None:
        claims["username"] = row.login
    if is_access:
        claims["token_type"] = "Bearer"  # noqa: S105 - the token type of RFC 6750
    return claims
