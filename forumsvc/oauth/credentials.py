"""What a client brings to the token endpoint, checked, and spent together with what it gives."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from sqlalchemy.orm import Session

from ..models import IssuedBy
from . import codes, login, revocation, tokens
from .token_hash import new_secret


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
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
    def changes_the_user(self) -> bool:
        """Whether spending it changes the user's row."""
        return False

    def holds(self, password_hash: str | None) -> bool:
        """Return whether it is still good where this is the user's hash now."""
        return True

    def spend(self, db: Session, now: datetime) -> bool:
        """Use the proof up; False where that was done before."""
        return True

    def punish(self, db: Session, now: datetime) -> bool:
        """End what the proof gave when it was used before; return whether anything was."""
        return False


@dataclass(frozen=True, kw_only=True, slots=True)
class PasswordProof(Proof):
    """A password that was the user's."""

    issued_by: ClassVar[IssuedBy] = IssuedBy.LOGIN

    attempt: login.Attempt
    password: str = field(repr=False)

    @property
    def changes_the_user(self) -> bool:
        """Whether the user's hash is outdated."""
        return self.attempt.owner is not None and self.attempt.owner.new_hash is not None

    def holds(self, password_hash: str | None) -> bool:
        """Return whether the password is still the user's; another log-in may have rehashed it."""
        return login.still_good(self.attempt, self.password, password_hash)

    def spend(self, db: Session, now: datetime) -> bool:
        """Write down that the user logged in."""
        login.succeeded(db, self.attempt, now)
        return True


@dataclass(frozen=True, kw_only=True, slots=True)
class RefreshProof(Proof):
    """A refresh token. token_id: its row; grace: seconds in which it is answered again."""

    issued_by: ClassVar[IssuedBy] = IssuedBy.REFRESH

    token_id: int
    grace: int

    def spend(self, db: Session, now: datetime) -> bool:
        """Use the refresh token up, or once more where its answer was lost."""
        if tokens.spend_refresh(db, self.token_id, now):
            return True
        return revocation.supersede(db, self.token_id, grace=self.grace, now=now)

    def punish(self, db: Session, now: datetime) -> bool:
        """End the family (RFC 9700 §4.14.2)."""
        revocation.end_family(db, self.family, now)
        return True


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeProof(Proof):
    """An authorization code. code_id: its row."""

    issued_by: ClassVar[IssuedBy] = IssuedBy.LOGIN

    code_id: int

    def spend(self, db: Session, now: datetime) -> bool:
        """Use the code up."""
        return codes.spend(db, self.code_id, now)

    def punish(self, db: Session, now: datetime) -> bool:
        """End what the code gave (RFC 6749 §4.1.2)."""
        revocation.end_family(db, self.family, now)
        return True
