"""oauthlib's callbacks for the token endpoint."""

import re
from collections.abc import Mapping
from typing import Any

from oauthlib.common import Request
from oauthlib.oauth2 import InvalidGrantError, InvalidScopeError
from sqlalchemy import Row

from ..process.passwords import require_slot
from ..sessions import password_login
from . import clients, codes, resource_owners, revocation, tokens
from .credentials import CodeCredential, GrantCredential, PasswordCredential, RefreshCredential
from .provider import Provider
from .validator import ClientValidator

_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}", re.ASCII)


class TokenValidator(ClientValidator):
    """Validates the credential with reads alone, and consumes it when the token is saved."""

    def __init__(self, provider: Provider, address: str) -> None:
        """address: the caller's IP address, for the throttle."""
        super().__init__(provider)
        self._address = address
        self._credential = GrantCredential()
        self._code: Row[Any] | None = None

    def authenticate_request(
        self, headers: Mapping[str, str], parameters: Mapping[str, str]
    ) -> None:
        """Authenticate the client.

        Raises InvalidClientError and InvalidRequestError, and PasswordsBusy if no slot for hashing
        a password is free. That is checked first: in a rush of logins most requests end here.
        """
        if parameters.get("grant_type") == "password":
            require_slot()
        super().authenticate_request(headers, parameters)

    def validate_scopes(
        self, client_id: str, scopes: list[str], client: clients.Client, request: Request
    ) -> bool:
        """Return whether the client may have these scopes; without a user it gets only `read`."""
        allowed = super().validate_scopes(client_id, scopes, client, request)
        if self._credential.user_id is None:
            request.scopes = [scope for scope in request.scopes if scope == "read"]
        return allowed and bool(request.scopes)

    def validate_user(
        self, username: str, password: str, client: clients.Client, request: Request
    ) -> bool:
        """Return whether the password is the user's. Raises RateLimited, InvalidScopeError."""
        # Checked again later; but a right password would have cost a hash by then, and be counted
        # neither as a failure nor as a login.
        if not set((request.scope or "").split()) <= set(client.scopes):
            raise InvalidScopeError(request=request)
        provider = self.provider
        attempt = password_login.authenticate(
            provider.reads,
            provider.settings,
            username,
            password,
            address=self._address,
            now=self.now,
        )
        if attempt.user is None:
            password_login.record_failure(provider.db, attempt, provider.settings, self.now)
            self.commit = True
            return False
        self._credential = PasswordCredential(
            user_id=attempt.user.id,
            authentication=password_login.proof_of(attempt, password, self.now),
        )
        return True

    def validate_refresh_token(
        self, refresh_token: str, client: clients.Client, request: Request
    ) -> bool:
        """Return whether a refresh token can be used.

        A token that was used before or revoked was copied, so its whole family is revoked. Within
        `oauth.refresh_grace` of the first use the response may have been lost instead, or two tabs
        refresh at once; `save_token` decides that.
        """
        with self.provider.reads.connect() as connection:
            row = tokens.find_by_refresh_token(connection, refresh_token)
        if row is None or row.client_id != client.id:
            return False
        self._credential = RefreshCredential(
            user_id=row.user_id,
            family=row.family,
            refresh_scope=row.refresh_scope,
            token_id=row.id,
            grace=self.provider.settings["oauth.refresh_grace"],
        )
        if row.revoked_at is not None or self._is_reuse(row):
            self._handle_reuse()
            return False
        is_active: bool = row.refresh_expires_at > self.now
        return is_active

    def _is_reuse(self, row: Row[Any]) -> bool:
        grace = self.provider.settings["oauth.refresh_grace"]
        is_used = row.refreshed_at is not None
        return is_used and not revocation.is_within_grace(row.refreshed_at, grace, self.now)

    def get_original_scopes(self, refresh_token: str, request: Request) -> str:
        """Return the scope that the refresh token may request."""
        return self._credential.refresh_scope or ""

    def rotate_refresh_token(self, request: Request) -> bool:
        """Return True: every refresh is answered with a new refresh token."""
        return True

    def validate_code(
        self, client_id: str, code: str, client: clients.Client, request: Request
    ) -> bool:
        """Return whether a code can be used; a reused one revokes the tokens that it issued.

        A verifier without a challenge is refused: somebody may have removed the challenge from the
        authorization request (RFC 9700 §4.8.2).
        """
        with self.provider.reads.connect() as connection:
            row = codes.find(connection, code)
        if row is None or row.client_id != client.id:
            return False
        self._credential = CodeCredential(user_id=row.user_id, family=row.family, code_id=row.id)
        self._code = row
        if row.used_at is not None:
            self._handle_reuse()
            return False
        if row.expires_at <= self.now:
            return False
        request.user, request.scopes = row.user_id, row.scope.split()
        verifier = request.code_verifier
        if verifier is None:
            return True
        return row.challenge is not None and _VERIFIER.fullmatch(verifier) is not None

    def get_code_challenge(self, code: str, request: Request) -> str | None:
        """Return the code challenge of the authorization request."""
        assert self._code is not None  # noqa: S101 - validated before
        challenge: str | None = self._code.challenge
        return challenge

    def get_code_challenge_method(self, code: str, request: Request) -> str:
        """Return S256, the only supported method."""
        return "S256"

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: clients.Client, request: Request
    ) -> bool:
        """Return True if the redirect URI is the authorization request's (RFC 6749 §4.1.3).

        Otherwise it raises InvalidGrantError; oauthlib would respond with `invalid_request`.
        """
        assert self._code is not None  # noqa: S101 - validated before
        original: str | None = self._code.redirect_uri
        if original is None:
            is_same = redirect_uri == self.get_default_redirect_uri(client_id, request)
        else:
            is_same = not request.using_default_redirect_uri and redirect_uri == original
        if not is_same:
            raise InvalidGrantError("The redirect URI is not that of the authorization request.")
        return True

    def invalidate_authorization_code(self, client_id: str, code: str, request: Request) -> None:
        """Do nothing: `save_token` consumed the code before it issued the token."""

    def save_token(self, token: dict[str, Any], request: Request) -> None:
        """Consume the credential, store the tokens, and complete the response.

        Raises InvalidGrantError if the credential was used, changed or deleted meanwhile.
        """
        credential, provider = self._credential, self.provider
        locked = resource_owners.lock_client_and_user(
            provider.db, self.client, credential.user_id, for_update=credential.updates_user
        )
        is_valid = locked is not None and credential.is_still_valid(locked.password_hash)
        if not is_valid or not credential.consume(provider.db, self.now):
            if is_valid:
                self._handle_reuse()
            raise InvalidGrantError("The grant is no longer valid.")
        if credential.user_id is None or "refresh_token" not in self.client.grants:
            token.pop("refresh_token", None)
        spec = tokens.TokenSpec(
            client_id=self.client.id,
            user_id=credential.user_id,
            scope=" ".join(request.scopes),
            access_ttl=provider.settings["oauth.access_token_ttl"],
            refresh_ttl=provider.settings["oauth.refresh_token_ttl"],
            family=credential.family,
            refresh_scope=credential.refresh_scope,
            issued_by=credential.issued_by,
        )
        tokens.store(provider.db, spec, token["access_token"], token.get("refresh_token"), self.now)
        token["scope"] = spec.scope
        token["created_at"] = int(self.now.timestamp())

    def _handle_reuse(self) -> None:
        if self._credential.revoke_on_reuse(self.provider.db, self.now):
            self.commit = True
