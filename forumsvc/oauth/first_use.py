"""The first use of an access token that a refresh issued: it shows that the response arrived.

It is recorded once for each refresh, and only while `oauth.refresh_grace` would accept the
previous refresh token again.
"""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from ..db.statements import update_of
from ..models import IssuedBy, OAuthToken
from ..queries.rows import AccessRow


def must_be_recorded(row: AccessRow, grace: int, now: datetime) -> bool:
    """Return whether a use of this token is the first one and falls within the grace period.

    row: the token's issued_by, created_at and used_at; grace: seconds.
    """
    if row.issued_by != IssuedBy.REFRESH or row.used_at is not None:
        return False
    age: timedelta = now - row.created_at
    return age < timedelta(seconds=grace)


def record(db: Session, token_id: int, now: datetime) -> bool:
    """Record the use; return False if the token has been revoked meanwhile."""
    updated = db.execute(
        update_of(OAuthToken)
        .where(OAuthToken.id == token_id, OAuthToken.revoked_at.is_(None))
        .values(used_at=now)
        .returning(OAuthToken.id)
    )
    return updated.first() is not None
