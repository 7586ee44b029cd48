"""Ending the log-ins of a user: sessions of the pages, codes, tokens."""

from datetime import datetime

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from ..models import BrowserSession, IssuedBy, OAuthCode, OAuthToken
from ..models.statements import change, locking, remove


def end(db: Session, user_id: int, moment: datetime, *, issued_by_admin: bool = False) -> None:
    """End the sessions, the codes not yet redeemed and the tokens of a user.

    issued_by_admin: whether the tokens that an administrator issued end too. The caller holds the
    user's row: whoever issues a token shares that row first (`oauth.owners.hold`), so that what is
    issued at this moment is either seen here or finds its grant ended.
    """
    db.execute(remove(BrowserSession).where(BrowserSession.user_id == user_id))
    # Gone and not only expired: an exchange that waits for this transaction compares with the time
    # at which it began. A used code stays, so that a second use is noticed.
    unused = (OAuthCode.user_id == user_id, OAuthCode.used_at.is_(None))
    db.execute(remove(OAuthCode).where(*unused))
    theirs = OAuthToken.user_id == user_id
    if not issued_by_admin:
        theirs = and_(theirs, OAuthToken.issued_by != IssuedBy.ADMIN)
    revoke_tokens(db, theirs, moment)


def revoke_tokens(db: Session, matches: ColumnElement[bool], moment: datetime) -> None:
    """Revoke the tokens that match, in the order of their ids, so that no two wait in a ring."""
    alive = and_(matches, OAuthToken.revoked_at.is_(None))
    in_order = select(OAuthToken.id).where(alive).order_by(OAuthToken.id)
    db.execute(locking(in_order, OAuthToken)).all()
    db.execute(change(OAuthToken).where(alive).values(revoked_at=moment))
