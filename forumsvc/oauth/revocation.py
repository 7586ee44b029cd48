"""Revoking tokens: one, a token family, or all that meet a condition."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from ..db.statements import delete_of, update_of, with_row_locks
from ..models import OAuthToken

_MOST_PAIRS = 100
"""How many unused pairs of tokens a family may have at once."""


def is_within_grace(refreshed_at: datetime | None, grace: int, now: datetime) -> bool:
    """Return whether the response to a refresh token, used at `refreshed_at`, may count as lost.

    grace: for how many seconds it may. With 0 it never does, not even for a request that began
    before the first one.
    """
    if refreshed_at is None or grace == 0:
        return False
    return now - refreshed_at < timedelta(seconds=grace)


def may_refresh_again(db: Session, token_id: int, *, grace: int, now: datetime) -> bool:
    """Return whether a refresh token that was used before may be used once more.

    Two tabs that refresh at once each get a pair, and each pair lives on by itself. Else the second
    use is treated as theft (RFC 9700 §4.14.2): after the grace period, which counts from the first
    use, and if a token of the family was revoked, which a second use must not undo.
    """
    # Locked, so that parallel requests see the pairs of each other.
    columns: tuple[Any, ...] = (OAuthToken.family, OAuthToken.refreshed_at)
    by_id = select(*columns).where(OAuthToken.id == token_id)
    used = db.execute(with_row_locks(by_id, OAuthToken)).first()
    if used is None or not is_within_grace(used.refreshed_at, grace, now):
        return False
    in_family = OAuthToken.family == used.family
    revoked = select(OAuthToken.id).where(in_family, OAuthToken.revoked_at.is_not(None))
    if db.execute(revoked.limit(1)).first() is not None:
        return False
    _delete_oldest_pairs(db, in_family)
    return True


def _delete_oldest_pairs(db: Session, in_family: ColumnElement[bool]) -> None:
    """Make room for one more pair. A deleted pair is unknown: its use ends nothing."""
    unused = select(OAuthToken.id).where(in_family, OAuthToken.refreshed_at.is_(None))
    newest = unused.order_by(OAuthToken.id.desc()).limit(_MOST_PAIRS - 1)
    ids = sorted(db.scalars(newest))
    if len(ids) == _MOST_PAIRS - 1:
        older = (OAuthToken.refreshed_at.is_(None), OAuthToken.id < ids[0])
        db.execute(delete_of(OAuthToken).where(in_family, *older))


def revoke_all(db: Session, matches: ColumnElement[bool], now: datetime) -> int:
    """Revoke every token that meets a condition, including those of concurrent refreshes.

    PostgreSQL's UPDATE waits for a refresh that has locked a row, but does not see the row that
    the refresh inserted. So it is repeated until nothing is left. Returns how many were revoked.
    """
    revoked = 0
    while number := _revoke(db, matches, now):
        revoked += number
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
