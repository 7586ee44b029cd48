"""Ending tokens before their time: one, a family, all that a user allowed a client."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from ..db.statements import update_of, with_row_locks
from ..models import OAuthToken

_COLUMNS: tuple[Any, ...] = (
    OAuthToken.family,
    OAuthToken.refreshed_at,
    OAuthToken.used_at,
    OAuthToken.revoked_at,
)
_STATES = select(*_COLUMNS)


def is_within_grace(refreshed_at: datetime | None, grace: int, now: datetime) -> bool:
    """Return whether the answer to a refresh token may be lost, which was used at `refreshed_at`.

    grace: for how many seconds after that it may; with 0 it never may, not even for a request that
    began before the other one.
    """
    if refreshed_at is None or grace == 0:
        return False
    return now - refreshed_at < timedelta(seconds=grace)


def revoke_unused_successors(db: Session, token_id: int, *, grace: int, now: datetime) -> bool:
    """Make room for another pair in place of the unused one that a refresh token was answered with.

    token_id: the row of the refresh token, which was used before; grace: for how many seconds after
    that the answer counts as lost. Returns False where it was longer ago, or where anything that
    followed was used or has ended: then the second use is theft (RFC 9700 §4.14.2).
    """
    # The row of the token first: of two that come here at once, one waits and then sees the pair
    # that the other has issued.
    spent = db.execute(with_row_locks(_STATES.where(OAuthToken.id == token_id), OAuthToken)).first()
    if spent is None or spent.revoked_at is not None:
        return False
    if not is_within_grace(spent.refreshed_at, grace, now):
        return False
    followed = and_(OAuthToken.family == spent.family, OAuthToken.id > token_id)
    pairs = db.execute(
        with_row_locks(_STATES.where(followed).order_by(OAuthToken.id), OAuthToken)
    ).all()
    if any(pair.refreshed_at is not None or pair.used_at is not None for pair in pairs):
        return False
    if not pairs or pairs[-1].revoked_at is not None:
        return False
    _revoke(db, followed, now)
    return True


def revoke_all(db: Session, matches: ColumnElement[bool], now: datetime) -> int:
    """End every token that meets a condition, those too that are being refreshed at this moment.

    PostgreSQL's UPDATE waits for the refresh that holds a row, but does not see the row which
    that refresh has added: hence again, until nothing is left. Returns how many ended.
    """
    ended = 0
    while more := _revoke(db, matches, now):
        ended += more
    return ended


def revoke_family(db: Session, family: str, now: datetime) -> None:
    """End every token of a family."""
    revoke_all(db, OAuthToken.family == family, now)


def revoke_client_access(db: Session, user_id: int, client_id: int, now: datetime) -> int:
    """End what a user allowed a client (its row), and return how many tokens that were."""
    matches = and_(OAuthToken.user_id == user_id, OAuthToken.client_id == client_id)
    return revoke_all(db, matches, now)


def revoke_token(db: Session, token_id: int, now: datetime) -> None:
    """End the access token of a row, and the refresh token that was given out with it."""
    _revoke(db, OAuthToken.id == token_id, now)


def _revoke(db: Session, matches: ColumnElement[bool], now: datetime) -> int:
    alive = and_(matches, OAuthToken.revoked_at.is_(None))
    # An UPDATE takes its rows in any order, so that two which end the same wait for each other.
    in_order = select(OAuthToken.id).where(alive).order_by(OAuthToken.id)
    db.execute(with_row_locks(in_order, OAuthToken)).all()
    done = db.execute(
        update_of(OAuthToken).where(alive).values(revoked_at=now).returning(OAuthToken.id)
    )
    return len(done.all())
