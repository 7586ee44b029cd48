"""Loads the invitations that nobody has taken up yet."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from sqlalchemy import bindparam, select

from ..db.base import UtcDateTime
from ..db.execution import ReadConnection, row, rows
from ..models import AdminAction, AuditRecord, User, UserState

MOST = 100
_EVER = datetime(1970, 1, 1, tzinfo=UTC)


class InvitationRow(Protocol):
    """An account that waits for its owner. invited_at: when, or when it was last repeated."""

    login: str
    email: str
    role: str
    invited_at: datetime


# By the log, because nothing else finds the few accounts without a password among all.
_OPEN: Any = (
    select(User.login, User.email, User.role, User.updated_at.label("invited_at"))
    .join(AuditRecord, AuditRecord.user_id == User.id)
    .where(
        AuditRecord.action == AdminAction.USER_ADDED,
        User.password_hash.is_(None),
        User.email.is_not(None),
        User.state == UserState.ACTIVE,
        User.updated_at > bindparam("since", type_=UtcDateTime()),
    )
    .order_by(AuditRecord.id.desc())
    .limit(MOST)
)
_OF_LOGIN: Any = _OPEN.where(User.login_key == bindparam("key"))


def open_invitations(db: ReadConnection, since: datetime) -> Sequence[InvitationRow]:
    """Return the invitations since a moment that still wait, the latest first, at most `MOST`."""
    return rows(db, _OPEN, {"since": since})


def is_open(db: ReadConnection, login: str, since: datetime = _EVER) -> bool:
    """Return whether a login was invited since a moment, and has chosen no password yet."""
    return row(db, _OF_LOGIN, {"key": login.lower(), "since": since}) is not None
