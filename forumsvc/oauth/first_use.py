"""The first use of an access token that a refresh issued: from then on the client has its answer.

It is written down once for each refresh, and only while `oauth.refresh_grace` lets the refresh
token before it be answered again.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from ..db.statements import update_of
from ..models import IssuedBy, OAuthToken


def must_be_recorded(row: Any, grace: int, now: datetime) -> bool:
    """Return whether something depends on this being the first use.

    row: the token's issued_by, created_at and used_at; grace: seconds.
    """
    if row.issued_by != IssuedBy.REFRESH or row.used_at is not None:
        return False
    age: timedelta = now - row.created_at
    return age < timedelta(seconds=grace)


def record(db: Session, token_id: int, now: datetime) -> bool:
    """Write the use down; return False where the token has ended meanwhile."""
    done = db.execute(
        update_of(OAuthToken)
        .where(OAuthToken.id == token_id, OAuthToken.revoked_at.is_(None))
        .values(used_at=now)
        .returning(OAuthToken.id)
    )
    return done.first() is not None
