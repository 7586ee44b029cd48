"""What a client brings to the token endpoint, checked, and spent together with what it gives."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from sqlalchemy.orm import Session

from ..models import IssuedBy
from . import codes, login, revocation, tokens
from .token_hash import new_secret


@dataclass(frozen=True, kw_only=True, slots=True)
class GrantCredential:
    """That of a client for itself.

    user_id: for whom it gets a token, if for anybody; family: of that token; refresh_scope: what
    its refresh token may ask for, where that is not what the access token gets; issued_by: how the
    token is remembered to have been issued.
    """

    issued_by: ClassVar[IssuedBy] = IssuedBy.CLIENT
    user_id: int | None = None
    family: str = field(default_factory=new_secret)
    refresh_scope: str | None = None

    @property
    def updates_user(self) -> bool:
        """Whether spending it changes the user's row."""
        return False

    def is_still_valid(self, password_hash: str | None) -> bool:
        """Return whether it is still good where this is the user's hash now."""
        return True

    def consume(self, db: Session, now: datetime) -> bool:
        """Use the proof up; False where that was done before."""
        return True

    def revoke_on_reuse(self, db: Session, now: datetime) -> bool:
        """End what the proof gave when it was used before; return whether anything was."""
        return False


@dataclass(frozen=True, kw_only=True, slots=True)
class PasswordCredential(GrantCredential):
    """A password that was the user's."""

    issued_by: ClassVar[IssuedBy] = IssuedBy.LOGIN

    attempt: login.LoginAttempt
    password: str = field(repr=False)

    @property
    def updates_user(self) -> bool:
        """Whether the user's hash is outdated."""
        return self.attempt.user is not None and self.attempt.user.new_hash is not None

    def is_still_valid(self, password_hash: str | None) -> bool:
        """Return whether the password is still the user's; another log-in may have rehashed it."""
        return login.password_unchanged(self.attempt, self.password, password_hash)

    def consume(self, db: Session, now: datetime) -> bool:
        """Write down that the user logged in."""
        login.record_success(db, self.attempt, now)
        return True


@dataclass(frozen=True, kw_only=True, slots=True)
class RefreshCredential(GrantCredential):
    """A refresh token. token_id: its row; grace: seconds in which it is answered again."""

    issued_by: ClassVar[IssuedBy] = IssuedBy.REFRESH

    token_id: int
    grace: int

    def consume(self, db: Session, now: datetime) -> bool:
        """Use the refresh token up, or once more where its answer was lost."""
        if tokens.consume_refresh_token(db, self.token_id, now):
            return True
        return revocation.revoke_unused_successors(db, self.token_id, grace=self.grace, now=now)

    def revoke_on_reuse(self, db: Session, now: datetime) -> bool:
        """End the family (RFC 9700 §4.14.2)."""
        revocation.revoke_family(db, self.family, now)
        return True


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeCredential(GrantCredential):
    """An authorization code. code_id: its row."""

    issued_by: ClassVar[IssuedBy] = IssuedBy.LOGIN

    code_id: int

    def consume(self, db: Session, now: datetime) -> bool:
        """Use the code up."""
        return codes.consume_code(db, self.code_id, now)

    def revoke_on_reuse(self, db: Session, now: datetime) -> bool:
        """End what the code gave (RFC 6749 §4.1.2)."""
        revocation.revoke_family(db, self.family, now)
        return True
