"""Ending accounts that nobody uses, and whose owner has never confirmed an address.

A member whose address was changed while nobody had to confirm is unconfirmed, too. So an account
stays that has left a trace, or is logged in somewhere.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, exists, or_, select
from sqlalchemy.orm import Session

from ...clock import now
from ...db.execution import SqlConnection
from ...errors import Conflict
from ...models import (
    BrowserSession,
    LoginAddress,
    Notification,
    Restriction,
    Review,
    Role,
    Sweep,
    User,
    UserState,
)
from ...models.declarations import declared
from ...queries.user_locks import lock_account
from ..moderation import reviews
from . import accounts, email_confirmation, invitations, login_names

BATCH_SIZE = 50


def keep(settings: Mapping[str, Any]) -> timedelta | None:
    """Return how long such an account is kept; None: for ever, or nobody has to confirm."""
    days = settings["accounts.unconfirmed_days"]
    if days is None or not email_confirmation.is_required(settings):
        return None
    return timedelta(days=days)


def due(db: SqlConnection, before: datetime, after: int = 0) -> Sequence[Row[Any]]:
    """Return accounts to be deleted, with their ids, up to BATCH_SIZE, without a lock.

    before: neither created nor changed since; after: only those with a higher id.
    """
    query = select(User.id).where(*_is_due(before), User.id > after)
    return db.execute(query.order_by(User.id).limit(BATCH_SIZE)).all()


def end(db: Session, before: datetime, user_id: int) -> None:
    """Delete an account that is as old, and free its login and its address.

    before: as above. Raises Conflict if somebody uses it meanwhile.
    """
    reviews.close_account_review(db, now(), user_id)
    lock_account(db, user_id)
    login = db.scalar(select(User.login).where(User.id == user_id, *_is_due(before)))
    if login is None:
        # The transaction is rolled back.
        raise Conflict("The account is used.")
    accounts.delete(db, login)
    login_names.free(db, user_id)


_NO_TRACES = {
    # What others do, or the service: the person need not have been here.
    *(Notification, Restriction, Review, Sweep),
    # What a sign-up leaves; a later session is a trace, see below.
    *(BrowserSession, LoginAddress),
}
_TRACES: tuple[Any, ...] = tuple(
    getattr(model, next(iter(by_column)))
    for model, by_column in declared("__erasure__")
    if model not in _NO_TRACES
)
"""The columns that name the owner of what only a person makes who uses the account."""


def _is_due(before: datetime) -> tuple[ColumnElement[bool], ...]:
    used = [exists().where(owner_id == User.id) for owner_id in _TRACES]
    # The session that began with the sign-up, in the same request, is no trace.
    is_later = BrowserSession.created_at > User.created_at
    used.append(exists().where(BrowserSession.user_id == User.id, is_later))
    return (
        User.email.is_not(None),
        User.email_confirmed_at.is_(None),
        User.created_at <= before,
        User.updated_at <= before,
        # Whoever is invited may choose a password as long as the link is valid.
        or_(User.password_hash.is_not(None), User.updated_at <= now() - invitations.TTL),
        User.state == UserState.ACTIVE,
        User.role == Role.MEMBER,
        *(~item for item in used),
    )
