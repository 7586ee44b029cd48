"""Authorization codes: issued, found, and consumed once."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, insert, select
from sqlalchemy.orm import Session

from ..db.statements import update_of
from ..models import OAuthCode, User, UserState
from ..sessions.token_hash import hash_token, new_secret


def issue(
    db: Session,
    *,
    client_id: int,
    user_id: int,
    redirect_uri: str | None,
    scope: str,
    challenge: str | None,
    ttl: int,
    now: datetime,
) -> str:
    """Issue a code and return it.

    client_id: the client's primary key; redirect_uri: that of the request, None if it had none;
    challenge: the S256 code challenge, None if there was none; ttl: seconds.
    """
    code = new_secret()
    db.execute(
        insert(OAuthCode).values(
            code_hash=hash_token(code),
            client_id=client_id,
            user_id=user_id,
            redirect_uri=redirect_uri,
            scope=scope,
            challenge=challenge,
            family=new_secret(),
            created_at=now,
            expires_at=now + timedelta(seconds=ttl),
        )
    )
    return code


_COLUMNS: tuple[Any, ...] = (
    OAuthCode.id,
    OAuthCode.client_id,
    OAuthCode.user_id,
    OAuthCode.redirect_uri,
    OAuthCode.scope,
    OAuthCode.challenge,
    OAuthCode.family,
    OAuthCode.expires_at,
    OAuthCode.used_at,
)


def find(db: Session | Connection, code: str) -> Row[Any] | None:
    """Return the row of a code, used or not, or None; also None if its user is deleted."""
    return db.execute(
        select(*_COLUMNS)
        .join(User, User.id == OAuthCode.user_id)
        .where(OAuthCode.code_hash == hash_token(code), User.state != UserState.DELETED)
    ).first()


def consume_code(db: Session, code_id: int, now: datetime) -> bool:
    """Mark a code as used; return False if it was used before or has expired."""
    updated = db.execute(
        update_of(OAuthCode)
        .where(OAuthCode.id == code_id, OAuthCode.used_at.is_(None), OAuthCode.expires_at > now)
        .values(used_at=now)
        .returning(OAuthCode.id)
    )
    return updated.first() is not None
