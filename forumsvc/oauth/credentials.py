"""What a client presents at the token endpoint: a password, a refresh token, a code, or nothing.

A credential is validated with reads alone, and consumed in the transaction that issues the token.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from sqlalchemy.orm import Session

from ..models import IssuedBy
from ..sessions.password_login import PasswordAuthentication
from ..sessions.token_hash import new_secret
from . import codes, revocation, tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class GrantCredential:
    """The base class, and the credential of the client_credentials grant.

    user_id: the user that the token is issued for, if any; family: the token family; refresh_scope:
    the scope of the refresh token, where it differs from that of the access token; issued_by: how
    the token was issued, which is stored with it.
    """

    issued_by: ClassVar[IssuedBy] = IssuedBy.CLIENT
    is_for_one_use: ClassVar[bool] = False
    """A second use revokes the family (RFC 6749 §4.1.2, RFC 9700 §4.14.2)."""
    user_id: int | None = None
    family: str = field(default_factory=new_secret)
    refresh_scope: str | None = None

    @property
    def updates_user(self) -> bool:
        """Whether `consume` updates the user's row."""
        return False

    def is_still_valid(self, password_hash: str | None) -> bool:
        """Return whether it is valid for the user's present password hash."""
        return True

    def consume(self, db: Session, now: datetime) -> bool:
        """Mark it as used; return False if it was used before."""
        return True

    def revoke_on_reuse(self, db: Session, now: datetime) -> bool:
        """Revoke the tokens that its first use issued; return whether there can be any."""
        if self.is_for_one_use:
            revocation.revoke_family(db, self.family, now)
        return self.is_for_one_use


@dataclass(frozen=True, kw_only=True, slots=True)
class PasswordCredential(GrantCredential):
    """A password that was right when it was checked."""

    issued_by: ClassVar[IssuedBy] = IssuedBy.LOGIN

    authentication: PasswordAuthentication

    @property
    def updates_user(self) -> bool:
        """Whether the user's hash is outdated."""
        return self.authentication.updates_user

    def is_still_valid(self, password_hash: str | None) -> bool:
        return self.authentication.is_still_valid(password_hash)

    def consume(self, db: Session, now: datetime) -> bool:
        """Record the log-in."""
        self.authentication.record(db)
        return True


@dataclass(frozen=True, kw_only=True, slots=True)
class RefreshCredential(GrantCredential):
    """A refresh token. token_id: its primary key; grace: `oauth.refresh_grace`, in seconds."""

    issued_by: ClassVar[IssuedBy] = IssuedBy.REFRESH
    is_for_one_use: ClassVar[bool] = True

    token_id: int
    grace: int

    def consume(self, db: Session, now: datetime) -> bool:
        """Mark the refresh token as used; allow more uses within the grace period."""
        if tokens.consume_refresh_token(db, self.token_id, now):
            return True
        return revocation.may_refresh_again(db, self.token_id, grace=self.grace, now=now)


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeCredential(GrantCredential):
    """An authorization code. code_id: its primary key."""

    issued_by: ClassVar[IssuedBy] = IssuedBy.LOGIN
    is_for_one_use: ClassVar[bool] = True

    code_id: int

    def consume(self, db: Session, now: datetime) -> bool:
        return codes.consume_code(db, self.code_id, now)
