"""Tokens: issued, found, consumed and expired.

Whatever two requests may do at the same time is one conditional UPDATE.
"""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    case,
    exists,
    func,
    insert,
    or_,
    select,
    true,
)
from sqlalchemy.orm import Session, aliased

from .. import clock
from ..cache import versions
from ..db.base import BigId, UtcDateTime
from ..db.execution import ReadConnection, row
from ..db.expired_rows import ExpiredRows
from ..db.statements import insert_or_ignore, update_of
from ..models import (
    BrowserSession,
    IssuedBy,
    NodeMute,
    OAuthClient,
    OAuthCode,
    OAuthToken,
    Topic,
    User,
    UserBlock,
    UserState,
)
from ..queries.rows import AccessRow
from ..queries.user_columns import identity
from ..sessions.token_hash import hash_token as hash_token
from ..sessions.token_hash import new_secret as new_secret
from .clients import BUILTIN_CLIENT


class IssuedToken(NamedTuple):
    """The new secrets. This is the only time that they are available. expires_in: seconds."""

    access_token: str
    refresh_token: str | None
    expires_in: int
    scope: str


class TokenSpec(NamedTuple):
    """What to issue. client_id: the client's primary key; the TTLs are in seconds."""

    client_id: int
    user_id: int | None
    scope: str
    access_ttl: int
    refresh_ttl: int | None
    family: str
    refresh_scope: str | None = None
    issued_by: IssuedBy = IssuedBy.LOGIN


def issue(
    db: Session,
    *,
    client_id: int,
    user_id: int | None,
    scope: str,
    access_ttl: int,
    refresh_ttl: int | None,
    issued_by: IssuedBy = IssuedBy.LOGIN,
) -> IssuedToken:
    """Issue an access token, and a refresh token unless `refresh_ttl` is None.

    client_id: the client's primary key; user_id: None for a token of the client itself; scope:
    scopes separated by spaces; the TTLs are in seconds.
    """
    access_token = new_secret()
    refresh_token = None if refresh_ttl is None else new_secret()
    spec = TokenSpec(
        client_id, user_id, scope, access_ttl, refresh_ttl, new_secret(), issued_by=issued_by
    )
    store(db, spec, access_token, refresh_token, clock.now())
    return IssuedToken(access_token, refresh_token, access_ttl, scope)


def store(
    db: Session, spec: TokenSpec, access_token: str, refresh_token: str | None, now: datetime
) -> None:
    """Store the hashes of new tokens."""
    values: dict[str, Any] = {
        "client_id": spec.client_id,
        "user_id": spec.user_id,
        "family": spec.family,
        "scope": spec.scope,
        "access_hash": hash_token(access_token),
        "access_expires_at": now + timedelta(seconds=spec.access_ttl),
        "issued_by": spec.issued_by,
        "created_at": now,
    }
    if refresh_token is not None and spec.refresh_ttl is not None:
        values["refresh_hash"] = hash_token(refresh_token)
        values["refresh_expires_at"] = now + timedelta(seconds=spec.refresh_ttl)
        if spec.refresh_scope != spec.scope:
            values["refresh_scope"] = spec.refresh_scope
    db.execute(insert(OAuthToken).values(**values))


_VALID = (
    OAuthToken.revoked_at.is_(None),
    or_(OAuthToken.user_id.is_(None), User.state != UserState.DELETED),
)

_CLIENT_OWNER = (
    select(OAuthClient.owner_id).where(OAuthClient.id == OAuthToken.client_id).scalar_subquery()
)
_VERSIONS = versions.all_versions()
_ACCESS_COLUMNS: tuple[Any, ...] = (
    *identity(),
    OAuthToken.scope,
    OAuthToken.client_id,
    case((OAuthToken.user_id.is_(None), _CLIENT_OWNER)).label("client_owner_id"),
    exists().where(UserBlock.user_id == OAuthToken.user_id).label("blocks"),
    exists().where(NodeMute.user_id == OAuthToken.user_id).label("mutes"),
    User.unread_count,
    Topic.id.label("topic_id"),
    Topic.version.label("topic_version"),
    Topic.hits.label("topic_hits"),
    *_VERSIONS.c,
)
_ACCESS = (
    select(*_ACCESS_COLUMNS)
    .select_from(OAuthToken)
    .outerjoin(User, User.id == OAuthToken.user_id)
    .outerjoin(Topic, Topic.id == bindparam("topic_id", type_=BigId))
    .join(_VERSIONS, true())
    .where(
        OAuthToken.access_hash == bindparam("hash"),
        OAuthToken.access_expires_at > bindparam("now", type_=UtcDateTime()),
        *_VALID,
    )
)


def find_by_access_token(
    db: ReadConnection, token: str, now: datetime, topic_id: int | None = None
) -> AccessRow | None:
    """Return the row of an access token, or None if it is unknown, expired or revoked.

    It carries the version of topic lists, that of a topic, and the number of unread notifications,
    so that most reads and a poll cost a member no other statement, and the version of the access
    blocks. topic_id: of the topic that is asked for, None without one.
    """
    return row(db, _ACCESS, {"hash": hash_token(token), "now": now, "topic_id": topic_id})


_TOKEN_COLUMNS: tuple[Any, ...] = (
    OAuthToken.id,
    OAuthToken.client_id,
    OAuthToken.user_id,
    OAuthToken.family,
    OAuthToken.scope,
    func.coalesce(OAuthToken.refresh_scope, OAuthToken.scope).label("refresh_scope"),
    OAuthToken.access_hash,
    OAuthToken.access_expires_at,
    OAuthToken.refresh_expires_at,
    OAuthToken.refreshed_at,
    OAuthToken.revoked_at,
    OAuthToken.created_at,
)
_TOKENS = select(*_TOKEN_COLUMNS)


def find_by_refresh_token(db: Session | Connection, token: str) -> Row[Any] | None:
    """Return the row of a refresh token, also if it is used, expired or revoked, or None."""
    return db.execute(_TOKENS.where(OAuthToken.refresh_hash == hash_token(token))).first()


def find_by_any_token(db: Session | Connection, token: str) -> Row[Any] | None:
    """Return the row whose access or refresh token this is, or None.

    It adds login and state of the user, and client (the client_id), to the token's columns.
    """
    hashed = hash_token(token)
    matches = or_(OAuthToken.access_hash == hashed, OAuthToken.refresh_hash == hashed)
    return db.execute(
        _TOKENS.add_columns(User.login, User.state, OAuthClient.client_id.label("client"))
        .select_from(OAuthToken)
        .join(OAuthClient, OAuthClient.id == OAuthToken.client_id)
        .outerjoin(User, User.id == OAuthToken.user_id)
        .where(matches)
    ).first()


def consume_refresh_token(db: Session, token_id: int, now: datetime) -> bool:
    """Mark a refresh token as used; return False if it was used before, expired or revoked."""
    updated = db.execute(
        update_of(OAuthToken)
        .where(
            OAuthToken.id == token_id,
            OAuthToken.refreshed_at.is_(None),
            OAuthToken.revoked_at.is_(None),
            OAuthToken.refresh_expires_at > now,
        )
        .values(refreshed_at=now)
        .returning(OAuthToken.id)
    )
    return updated.first() is not None


def _expired_tokens(now: datetime) -> list[ColumnElement[bool]]:
    """Return the condition of the expired and the revoked tokens.

    So that a reuse is detected, a used or replaced refresh token stays while its family is active
    and until it would have expired.
    """
    refresh = OAuthToken.refresh_expires_at
    is_revoked = and_(OAuthToken.revoked_at.is_not(None), ~_family_is_active(now))
    is_expired = and_(OAuthToken.access_expires_at <= now, or_(refresh.is_(None), refresh <= now))
    return [or_(is_revoked, is_expired)]


def _family_is_active(now: datetime) -> ColumnElement[bool]:
    relative = aliased(OAuthToken)
    return exists().where(
        relative.family == OAuthToken.family,
        relative.revoked_at.is_(None),
        or_(relative.access_expires_at > now, relative.refresh_expires_at > now),
    )


EXPIRED = (
    ExpiredRows(OAuthToken, _expired_tokens),
    # A used code stays while it has tokens, which a second use of it would revoke.
    ExpiredRows(
        OAuthCode,
        lambda now: [
            OAuthCode.expires_at <= now,
            ~exists().where(OAuthToken.family == OAuthCode.family),
        ],
    ),
    ExpiredRows(BrowserSession, lambda now: [BrowserSession.expires_at <= now]),
)
"""What of this package's tables may be deleted."""


def get_or_create_builtin_client(db: Session) -> int:
    """Return the primary key of the command line's own client; create it if it is missing."""
    insert_or_ignore(
        db,
        OAuthClient,
        client_id=BUILTIN_CLIENT,
        name="forumsvc command line",
        grants="",
        scopes="read write",
        created_at=clock.now(),
    )
    return db.execute(
        select(OAuthClient.id).where(OAuthClient.client_id == BUILTIN_CLIENT)
    ).scalar_one()
