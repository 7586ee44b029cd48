"""Addresses that a mail server refuses: after some emails in a row nothing more is sent there.

Only what is sent about what happened: a link that sets a password is tried each time.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import case, func, literal, select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...db.base import UtcDateTime
from ...db.execution import SqlConnection
from ...models import User

MOST = 3
"""After so many refusals in a row, each of another email, no more are sent."""
NONE = {"mail_refusals": 0, "mail_refused_at": None}
"""The columns of a user whose address is not refused, or no more."""


def count(db: Session, user_id: int, now: datetime) -> None:
    """Count that the address of a user was refused for good (5xx after RCPT)."""
    refusals = User.mail_refusals + 1
    refused_at = case(
        (User.mail_refused_at.is_not(None), User.mail_refused_at),
        (refusals >= MOST, literal(now, UtcDateTime)),
    )
    columns = {"mail_refusals": refusals, "mail_refused_at": refused_at}
    db.execute(update_columns(User, **columns).where(User.id == user_id))


def forget(db: Session, user_id: int) -> None:
    """Send emails to a user again, or go on: one was taken, or somebody wants to try again."""
    refused = (User.id == user_id, User.mail_refusals > 0)
    db.execute(update_columns(User, **NONE).where(*refused))


def number(db: SqlConnection) -> int:
    """Return how many users get no emails, because their address is refused."""
    return db.scalar(select(func.count()).where(User.mail_refused_at.is_not(None))) or 0


def logins(db: SqlConnection, most: int) -> Sequence[str]:
    """Return the logins of some of them, the one refused last first."""
    refused = select(User.login).where(User.mail_refused_at.is_not(None))
    return db.scalars(refused.order_by(User.mail_refused_at.desc()).limit(most)).all()
