"""Ending tokens before their time: one, a family, all that a user allowed a client."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from ..models import OAuthToken
from ..models.statements import change, locking


def punish_reuse(db: Session, token_id: int, *, grace: int, now: datetime) -> bool:
    """End the family of a refresh token that was used before and is used again.

    grace: for how many seconds after its use a second one is taken for a client's slip, as long
    as the token that followed was not used itself. Returns whether the family was ended.
    """
    spent = db.execute(
        select(OAuthToken.family, OAuthToken.refreshed_at).where(OAuthToken.id == token_id)
    ).first()
    if spent is None or spent.refreshed_at is None:
        return False
    if now - spent.refreshed_at < timedelta(seconds=grace):
        followed = select(OAuthToken.id).where(
            OAuthToken.family == spent.family,
            OAuthToken.id > token_id,
            OAuthToken.refreshed_at.is_not(None),
        )
        if db.execute(followed.limit(1)).first() is None:
            return False
    end_family(db, spent.family, now)
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


def end_family(db: Session, family: str, now: datetime) -> None:
    """End every token of a family."""
    revoke_all(db, OAuthToken.family == family, now)


def end_grant(db: Session, user_id: int, client_id: int, now: datetime) -> int:
    """End what a user allowed a client (its row), and return how many tokens that were."""
    matches = and_(OAuthToken.user_id == user_id, OAuthToken.client_id == client_id)
    return revoke_all(db, matches, now)


def end_one(db: Session, token_id: int, now: datetime) -> None:
    """End the access token of a row, and the refresh token that was given out with it."""
    _revoke(db, OAuthToken.id == token_id, now)


def _revoke(db: Session, matches: ColumnElement[bool], now: datetime) -> int:
    alive = and_(matches, OAuthToken.revoked_at.is_(None))
    # An UPDATE takes its rows in any order, so that two which end the same wait for each other.
    in_order = select(OAuthToken.id).where(alive).order_by(OAuthToken.id)
    db.execute(locking(in_order, OAuthToken)).all()
    done = db.execute(
        change(OAuthToken).where(alive).values(revoked_at=now).returning(OAuthToken.id)
    )
    return len(done.all())
