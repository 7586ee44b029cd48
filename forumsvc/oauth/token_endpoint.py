"""oauthlib's questions at the token endpoint: what the client brings, and what it gets."""

import re
from collections.abc import Mapping
from typing import Any

from oauthlib.common import Request
from oauthlib.oauth2 import InvalidGrantError
from sqlalchemy import Row

from ..passwords import require_slot
from . import clients, codes, login, resource_owners, revocation, tokens
from .credentials import CodeCredential, GrantCredential, PasswordCredential, RefreshCredential
from .provider import Provider
from .validator import ClientValidator

_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}", re.ASCII)


class TokenValidator(ClientValidator):
    """Checks what the client brings with reads alone, and spends it when the token is saved."""

    def __init__(self, provider: Provider, address: str) -> None:
        """Take what to work with, and from where the request came."""
        super().__init__(provider)
        self._address = address
        self._credential = GrantCredential()
        self._code: Row[Any] | None = None

    def authenticate_request(
        self, headers: Mapping[str, str], parameters: Mapping[str, str]
    ) -> None:
        """Find out which client calls.

        Raises InvalidClientError, InvalidRequestError, and PasswordsBusy where a password could not
        be checked: in a rush of log-ins the refusals are most of the work, so they come first.
        """
        if parameters.get("grant_type") == "password":
            require_slot()
        super().authenticate_request(headers, parameters)

    def validate_scopes(
        self,
        client_id: str,
        scopes: list[str],
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether the client may have these scopes; without a user it gets `read` alone."""
        allowed = super().validate_scopes(client_id, scopes, client, request, *args, **kwargs)
        if self._credential.user_id is None:
            request.scopes = [scope for scope in request.scopes if scope == "read"]
        return allowed and bool(request.scopes)

    def validate_user(
        self,
        username: str,
        password: str,
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether the password is the user's. Raises RateLimited."""
        provider = self.provider
        attempt = login.authenticate(
            provider.reads,
            provider.settings,
            username,
            password,
            address=self._address,
            now=self.now,
        )
        if attempt.user is None:
            login.record_failure(provider.db, attempt, provider.settings, self.now)
            self.commit = True
            return False
        self._credential = PasswordCredential(
            user_id=attempt.user.id, attempt=attempt, password=password
        )
        return True

    def validate_refresh_token(
        self,
        refresh_token: str,
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether a refresh token can be used.

        One that was used before, or that was revoked, ends its family: two have it. Only within
        `oauth.refresh_grace` of its first use it may be that the answer was lost, which is judged
        when the token is saved.
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
        alive: bool = row.refresh_expires_at > self.now
        return alive

    def _is_reuse(self, row: Row[Any]) -> bool:
        grace = self.provider.settings["oauth.refresh_grace"]
        used = row.refreshed_at is not None
        return used and not revocation.is_within_grace(row.refreshed_at, grace, self.now)

    def get_original_scopes(
        self, refresh_token: str, request: Request, *args: Any, **kwargs: Any
    ) -> str:
        """Return what the refresh token may ask for."""
        return self._credential.refresh_scope or ""

    def rotate_refresh_token(self, request: Request) -> bool:
        """Return True: every refresh token is used once."""
        return True

    def validate_code(
        self,
        client_id: str,
        code: str,
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return whether a code can be used; one that was used before ends what it gave.

        A verifier without a challenge is refused, lest somebody strip the challenge from the
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
        """Return the challenge that came with the authorization request."""
        assert self._code is not None  # noqa: S101 - validated before
        challenge: str | None = self._code.challenge
        return challenge

    def get_code_challenge_method(self, code: str, request: Request) -> str:
        """Return the one method there is."""
        return "S256"

    def get_default_redirect_uri(
        self, client_id: str, request: Request, *args: Any, **kwargs: Any
    ) -> str | None:
        """Return the registered redirect URI, where it is the only one."""
        uris = self.redirect_uris
        return uris[0] if len(uris) == 1 else None

    def confirm_redirect_uri(
        self,
        client_id: str,
        code: str,
        redirect_uri: str,
        client: clients.Client,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Return True where the redirect URI is the authorization request's (RFC 6749 §4.1.3).

        Raises InvalidGrantError where it is not: oauthlib would answer with `invalid_request`.
        """
        assert self._code is not None  # noqa: S101 - validated before
        named: str | None = self._code.redirect_uri
        if named is None:
            agrees = redirect_uri == self.get_default_redirect_uri(client_id, request)
        else:
            agrees = not request.using_default_redirect_uri and redirect_uri == named
        if not agrees:
            raise InvalidGrantError("The redirect URI is not that of the authorization request.")
        return True

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Do nothing: saving the token has spent the code, which must come first."""

    def save_token(
        self, token: dict[str, Any], request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Spend what the client brought, write what it gets, and complete the response.

        Raises InvalidGrantError where what it brought was used up, changed or gone meanwhile.
        """
        proof, provider = self._credential, self.provider
        held = resource_owners.lock_client_and_user(
            provider.db, self.client, proof.user_id, for_update=proof.updates_user
        )
        good = held is not None and proof.is_still_valid(held.password_hash)
        if not good or not proof.consume(provider.db, self.now):
            if good:
                self._handle_reuse()
            raise InvalidGrantError("The grant is no longer valid.")
        if proof.user_id is None or "refresh_token" not in self.client.grants:
            token.pop("refresh_token", None)
        given = tokens.TokenSpec(
            client_id=self.client.id,
            user_id=proof.user_id,
            scope=" ".join(request.scopes),
            access_ttl=provider.settings["oauth.access_token_ttl"],
            refresh_ttl=provider.settings["oauth.refresh_token_ttl"],
            family=proof.family,
            refresh_scope=proof.refresh_scope,
            issued_by=proof.issued_by,
        )
        tokens.store(
            provider.db, given, token["access_token"], token.get("refresh_token"), self.now
        )
        token["scope"] = given.scope
        token["created_at"] = int(self.now.timestamp())

    def _handle_reuse(self) -> None:
        if self._credential.revoke_on_reuse(self.provider.db, self.now):
            self.commit = True
