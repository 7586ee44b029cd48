"""Browser sessions: somebody is logged in to the pages, until a time, in one browser."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, insert, literal, select
from sqlalchemy.orm import Session

from ..models import BrowserSession, User, UserState
from ..models.statements import remove
from .clients import SCOPES
from .owners import Owner
from .secret import digest, new_secret

NO_CLIENT = 0
"""In place of a client's row: a person uses the pages without any application."""

_COLUMNS: tuple[Any, ...] = (
    User.id.label("user_id"),
    User.login,
    User.email,
    User.role,
    User.state,
    User.created_at.label("user_created_at"),
    literal(" ".join(SCOPES)).label("scope"),
    literal(NO_CLIENT).label("client_id"),
)


def begin(db: Session, owner: Owner, *, ttl: int, now: datetime) -> str | None:
    """Open a session for a user who has just proven the password, and return its secret.

    ttl: seconds. None where the user is gone, or the password was changed meanwhile.
    """
    unchanged = select(User.id).where(
        User.id == owner.id,
        User.state != UserState.DELETED,
        User.password_hash == owner.password_hash,
    )
    if db.execute(unchanged.with_for_update(key_share=True)).first() is None:
        return None
    secret = new_secret()
    db.execute(
        insert(BrowserSession).values(
            secret_hash=digest(secret),
            user_id=owner.id,
            created_at=now,
            expires_at=now + timedelta(seconds=ttl),
        )
    )
    return secret


def find(db: Session | Connection, secret: str, now: datetime) -> Row[Any] | None:
    """Return who is logged in by the secret of a cookie, or None.

    The row: user_id, login, email, role, state, user_created_at, scope, client_id; one SELECT.
    """
    return db.execute(
        select(*_COLUMNS)
        .select_from(BrowserSession)
        .join(User, User.id == BrowserSession.user_id)
        .where(
            BrowserSession.secret_hash == digest(secret),
            BrowserSession.expires_at > now,
            User.state != UserState.DELETED,
        )
    ).first()


def end(db: Session, secret: str) -> None:
    """Log out: the session with this secret is gone."""
    db.execute(remove(BrowserSession).where(BrowserSession.secret_hash == digest(secret)))
