"""Browser sessions: a user's login to the pages, in one browser, until it expires."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, insert, literal, null, select
from sqlalchemy.orm import Session

from ..cache import versions
from ..db.base import UtcDateTime
from ..db.execution import ReadConnection, SqlConnection, row
from ..db.statements import delete_of
from ..models import BrowserSession, NodeMute, User, UserBlock, UserState
from ..permissions import Scope
from ..queries.user_columns import identity
from ..text.ip_addresses import wide_network
from .authentication import Authentication
from .token_hash import hash_token, new_secret

NO_CLIENT = 0
"""The client_id of a session's identity: the pages are used without an OAuth client."""

_COLUMNS: tuple[Any, ...] = (
    *identity(),
    User.email,
    User.unread_count,
    User.avatar,
    literal(" ".join(Scope)).label("scope"),
    literal(NO_CLIENT).label("client_id"),
    null().label("client_owner_id"),
    select(UserBlock.id).where(UserBlock.user_id == User.id).exists().label("blocks"),
    select(NodeMute.id).where(NodeMute.user_id == User.id).exists().label("mutes"),
    versions.access_version(),
)


def start(
    db: Session,
    authentication: Authentication,
    *,
    ttl: int,
    now: datetime,
    browser: str,
    address: str,
) -> str | None:
    """Create a session for a user who was just recognized, and return its secret.

    ttl: seconds; browser: its name; address: the client's. Returns None if the user is gone or the
    proof holds no more, such as a password that was changed meanwhile.
    """
    user_id = authentication.user_id
    current = select(User.password_hash).where(User.id == user_id, User.state != UserState.DELETED)
    result = db.execute(current.with_for_update(key_share=True)).first()
    if result is None or not authentication.is_still_valid(result.password_hash):
        return None
    secret = new_secret()
    db.execute(
        insert(BrowserSession).values(
            secret_hash=hash_token(secret),
            user_id=user_id,
            created_at=now,
            expires_at=now + timedelta(seconds=ttl),
            browser=browser,
            last_used_at=now,
            network=wide_network(address),
        )
    )
    return secret


@cache
def _by_secret() -> Select[Any]:
    return (
        select(*_COLUMNS, BrowserSession.id.label("session_id"), BrowserSession.last_used_at)
        .select_from(BrowserSession)
        .join(User, User.id == BrowserSession.user_id)
        .where(
            BrowserSession.secret_hash == bindparam("secret_hash"),
            BrowserSession.expires_at > bindparam("now", type_=UtcDateTime),
            User.state != UserState.DELETED,
        )
    )


def find(db: ReadConnection, secret: str, now: datetime) -> Any | None:
    """Return the user who is logged in by the secret of a cookie, or None.

    The row: user_id, login, email, role, avatar, unread_count, state, blocked_until,
    blocked_reason, user_created_at, is_unconfirmed, awaits_approval, scope, client_id,
    client_owner_id, blocks, mutes, access_version, session_id, last_used_at; one SELECT.
    """
    return row(db, _by_secret(), {"secret_hash": hash_token(secret), "now": now})


@cache
def _by_login() -> Select[Any]:
    is_login = User.login_key == bindparam("login_key")
    return select(*_COLUMNS).where(is_login, User.state != UserState.DELETED)


def find_user(db: ReadConnection, login: str) -> Any | None:
    """Return the row of `find` for a user who has no session: as whom a command acts; or None.

    It has no session_id and no last_used_at.
    """
    return row(db, _by_login(), {"login_key": login.lower()})


def delete(db: Session, secret: str) -> None:
    db.execute(delete_of(BrowserSession).where(BrowserSession.secret_hash == hash_token(secret)))


_COLUMNS_OF_LIST: tuple[Any, ...] = (
    BrowserSession.id,
    BrowserSession.created_at,
    BrowserSession.browser,
    BrowserSession.last_used_at,
    BrowserSession.network,
)


def of_user(db: SqlConnection, user_id: int, now: datetime) -> Sequence[Any]:
    """Return the sessions of a user, the newest first.

    The rows: id, created_at, browser, last_used_at, network.
    """
    is_own = BrowserSession.user_id == user_id, BrowserSession.expires_at > now
    query = select(*_COLUMNS_OF_LIST).where(*is_own)
    return db.execute(query.order_by(BrowserSession.id.desc())).all()


def id_of(db: SqlConnection, secret: str) -> int | None:
    """Return the id of the session of a cookie's secret, or None."""
    query = select(BrowserSession.id).where(BrowserSession.secret_hash == hash_token(secret))
    return db.scalar(query)


def end(db: Session, user_id: int, session_id: int) -> None:
    """End a session, if it is one of the user."""
    is_own = BrowserSession.id == session_id, BrowserSession.user_id == user_id
    db.execute(delete_of(BrowserSession).where(*is_own))
