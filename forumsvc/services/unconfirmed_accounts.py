"""Ending accounts that nobody uses, and whose owner has never confirmed an address.

A member whose address was changed while nobody had to confirm is unconfirmed, too. So an account
stays that has left a trace, or is logged in somewhere.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Session

from ..cache.invalidation import update_columns
from ..clock import now
from ..db.execution import SqlConnection
from ..db.statements import with_row_locks
from ..models import (
    BrowserSession,
    Favorite,
    HeldPost,
    OAuthToken,
    Photo,
    Reply,
    ReplyLike,
    Role,
    Topic,
    TopicFollow,
    TopicLike,
    User,
    UserFollow,
    UserState,
)
from . import accounts, email_confirmation
from .moderation import reviews

BATCH_SIZE = 50


def keep(settings: Mapping[str, Any]) -> timedelta | None:
    """Return how long such an account is kept; None: for ever, or nobody has to confirm."""
    days = settings["accounts.unconfirmed_days"]
    if days is None or not email_confirmation.is_required(settings):
        return None
    return timedelta(days=days)


def is_any_over(db: SqlConnection, before: datetime) -> bool:
    """Return whether `end` has something to do, without a lock."""
    return db.scalar(select(User.id).where(*_is_over(before)).limit(1)) is not None


def end(db: Session, before: datetime) -> int:
    """Delete accounts that are as old, and free their logins and addresses; return how many.

    before: neither created nor changed since. At most BATCH_SIZE in a transaction.
    """
    columns: list[Any] = [User.id, User.login]
    query = select(*columns).where(*_is_over(before)).order_by(User.id)
    rows = db.execute(with_row_locks(query.limit(BATCH_SIZE), User)).all()
    for user_id, login in rows:
        reviews.close_account_review(db, now(), user_id)
        accounts.delete(db, login)
        free = f"deleted-{user_id}"
        renamed = update_columns(User, login=free, login_key=free)
        db.execute(renamed.where(User.id == user_id))
    return len(rows)


_TRACES: tuple[Any, ...] = (
    *(Topic, Reply, HeldPost, Photo, TopicLike, ReplyLike, Favorite, TopicFollow, UserFollow),
    OAuthToken,
)


def _is_over(before: datetime) -> tuple[ColumnElement[bool], ...]:
    used = [exists().where(model.user_id == User.id) for model in _TRACES]
    # The session that began with the sign-up, in the same request, is no trace.
    is_later = BrowserSession.created_at > User.created_at
    used.append(exists().where(BrowserSession.user_id == User.id, is_later))
    return (
        User.email.is_not(None),
        User.email_confirmed_at.is_(None),
        User.created_at <= before,
        User.updated_at <= before,
        User.state == UserState.ACTIVE,
        User.role == Role.MEMBER,
        *(~each for each in used),
    )
