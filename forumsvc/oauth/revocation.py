"""Revoking tokens: one, a token family, or all that meet a condition."""

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
    """Return whether the response to a refresh token, used at `refreshed_at`, may count as lost.

    grace: for how many seconds it may. With 0 it never does, not even for a request that began
    before the first one.
    """
    if refreshed_at is None or grace == 0:
        return False
    return now - refreshed_at < timedelta(seconds=grace)


def revoke_unused_successors(db: Session, token_id: int, *, grace: int, now: datetime) -> bool:
    """Revoke the unused pair of tokens that a refresh token was exchanged for.

    token_id: the row of the refresh token, which was used before; grace: for how many seconds its
    response may count as lost. Returns False if the use is older, or if a later token of the family
    was used or revoked: then the second use is treated as theft (RFC 9700 §4.14.2).
    """
    # Lock the row of the token first: of two concurrent requests the second one waits, and then
    # sees the pair that the first one has issued.
    used = db.execute(with_row_locks(_STATES.where(OAuthToken.id == token_id), OAuthToken)).first()
    if used is None or used.revoked_at is not None:
        return False
    if not is_within_grace(used.refreshed_at, grace, now):
        return False
    followed = and_(OAuthToken.family == used.family, OAuthToken.id > token_id)
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
    """Revoke every token that meets a condition, including those of concurrent refreshes.

    PostgreSQL's UPDATE waits for a refresh that has locked a row, but does not see the row that
    the refresh inserted. So it is repeated until nothing is left. Returns how many were revoked.
    """
    revoked = 0
    while more := _revoke(db, matches, now):
        revoked += more
    return revoked


def revoke_family(db: Session, family: str, now: datetime) -> None:
    revoke_all(db, OAuthToken.family == family, now)


def revoke_token(db: Session, token_id: int, now: datetime) -> None:
    """Revoke an access token and the refresh token that was issued with it."""
    _revoke(db, OAuthToken.id == token_id, now)


def _revoke(db: Session, matches: ColumnElement[bool], now: datetime) -> int:
    active = and_(matches, OAuthToken.revoked_at.is_(None))
    # An UPDATE locks its rows in any order, so two of the same tokens could deadlock.
    in_order = select(OAuthToken.id).where(active).order_by(OAuthToken.id)
    db.execute(with_row_locks(in_order, OAuthToken)).all()
    updated = db.execute(
        update_of(OAuthToken).where(active).values(revoked_at=now).returning(OAuthToken.id)
    )
    return len(updated.all())
