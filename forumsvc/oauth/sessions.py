"""Browser sessions: somebody is logged in to the pages, until a time, in one browser."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, false, insert, literal, select
from sqlalchemy.orm import Session

from ..db.statements import delete_of
from ..models import BrowserSession, User, UserState
from .clients import SCOPES
from .login import LoginAttempt, password_unchanged
from .token_hash import hash_token, new_secret

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
    # No page shows a list from which somebody could be missing.
    false().label("blocks"),
)


def create(
    db: Session, attempt: LoginAttempt, password: str, *, ttl: int, now: datetime
) -> str | None:
    """Open a session for a user who has just proven the password, and return its secret.

    ttl: seconds. None where the user is gone, or the password was changed meanwhile: another hash
    of the same one, as of two log-ins at once that bring it up to date, is none.
    """
    owner = attempt.user
    assert owner is not None, "it succeeded"  # noqa: S101
    held = select(User.password_hash).where(User.id == owner.id, User.state != UserState.DELETED)
    row = db.execute(held.with_for_update(key_share=True)).first()
    if row is None or not password_unchanged(attempt, password, row.password_hash):
        return None
    secret = new_secret()
    db.execute(
        insert(BrowserSession).values(
            secret_hash=hash_token(secret),
            user_id=owner.id,
            created_at=now,
            expires_at=now + timedelta(seconds=ttl),
        )
    )
    return secret


def find(db: Session | Connection, secret: str, now: datetime) -> Row[Any] | None:
    """Return who is logged in by the secret of a cookie, or None.

    The row: user_id, login, email, role, state, user_created_at, scope, client_id, blocks; one
    SELECT.
    """
    return db.execute(
        select(*_COLUMNS)
        .select_from(BrowserSession)
        .join(User, User.id == BrowserSession.user_id)
        .where(
            BrowserSession.secret_hash == hash_token(secret),
            BrowserSession.expires_at > now,
            User.state != UserState.DELETED,
        )
    ).first()


def delete(db: Session, secret: str) -> None:
    """Log out: the session with this secret is gone."""
    db.execute(delete_of(BrowserSession).where(BrowserSession.secret_hash == hash_token(secret)))
