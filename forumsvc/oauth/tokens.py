"""Tokens: given out, found, spent, ended and swept away.

Everything that two requests may do at once is one conditional UPDATE.
"""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
)
from sqlalchemy.orm import Session

from .. import clock
from ..models import OAuthClient, OAuthToken, User, UserState
from ..models.meta import Timestamp
from ..models.statements import change, insert_if_absent, remove
from .secret import digest as digest
from .secret import new_secret as new_secret

BUILTIN_CLIENT = "forumsvc-cli"
"""The identifier of the command line's own client; it has no secret, so nobody can use it."""


class NewToken(NamedTuple):
    """What was given out: the only time that the secrets are seen. expires_in: seconds."""

    access_token: str
    refresh_token: str | None
    expires_in: int
    scope: str


class Given(NamedTuple):
    """For what a token is given out. client_id is the client's row; the TTLs are seconds."""

    client_id: int
    user_id: int | None
    scope: str
    access_ttl: int
    refresh_ttl: int | None
    family: str
    refresh_scope: str | None = None


def issue(
    db: Session,
    *,
    client_id: int,
    user_id: int | None,
    scope: str,
    access_ttl: int,
    refresh_ttl: int | None,
    family: str | None = None,
) -> NewToken:
    """Give out an access token, and a refresh token unless `refresh_ttl` is None.

    client_id: the client's row; user_id: None for a token of the client itself; scope: words
    separated by blanks; the TTLs: seconds; family: that of the token it follows, if any.
    """
    access_token = new_secret()
    refresh_token = None if refresh_ttl is None else new_secret()
    given = Given(client_id, user_id, scope, access_ttl, refresh_ttl, family or new_secret())
    store(db, given, access_token, refresh_token, clock.now())
    return NewToken(access_token, refresh_token, access_ttl, scope)


def store(
    db: Session, given: Given, access_token: str, refresh_token: str | None, now: datetime
) -> None:
    """Write the digests of freshly made tokens."""
    values: dict[str, Any] = {
        "client_id": given.client_id,
        "user_id": given.user_id,
        "family": given.family,
        "scope": given.scope,
        "access_hash": digest(access_token),
        "access_expires_at": now + timedelta(seconds=given.access_ttl),
        "created_at": now,
    }
    if refresh_token is not None and given.refresh_ttl is not None:
        values["refresh_hash"] = digest(refresh_token)
        values["refresh_expires_at"] = now + timedelta(seconds=given.refresh_ttl)
        if given.refresh_scope != given.scope:
            values["refresh_scope"] = given.refresh_scope
    db.execute(insert(OAuthToken).values(**values))


_ALIVE = (
    OAuthToken.revoked_at.is_(None),
    or_(OAuthToken.user_id.is_(None), User.state != UserState.DELETED),
)

_ACCESS_COLUMNS: tuple[Any, ...] = (
    User.id.label("user_id"),
    User.login,
    User.role,
    User.state,
    User.created_at.label("user_created_at"),
    OAuthToken.scope,
    OAuthToken.client_id,
)
_ACCESS = (
    select(*_ACCESS_COLUMNS)
    .select_from(OAuthToken)
    .outerjoin(User, User.id == OAuthToken.user_id)
    .where(
        OAuthToken.access_hash == bindparam("hash"),
        OAuthToken.access_expires_at > bindparam("now", type_=Timestamp()),
        *_ALIVE,
    )
)


def find_access(db: Session | Connection, token: str, now: datetime) -> Row[Any] | None:
    """Return for what an access token stands, or None where it is wrong, expired or ended.

    The row: user_id, login, role, state, user_created_at (all None for a token of the client
    itself), scope, client_id (the client's row). One SELECT.
    """
    return db.execute(_ACCESS, {"hash": digest(token), "now": now}).first()


_PRESENTED_COLUMNS: tuple[Any, ...] = (
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
_PRESENTED = select(*_PRESENTED_COLUMNS)


def find_refresh(db: Session | Connection, token: str) -> Row[Any] | None:
    """Return the row of a refresh token, whatever has become of it, or None."""
    return db.execute(_PRESENTED.where(OAuthToken.refresh_hash == digest(token))).first()


def find_presented(db: Session | Connection, token: str) -> Row[Any] | None:
    """Return the row of which `token` is the access or the refresh token, or None."""
    hashed = digest(token)
    matches = or_(OAuthToken.access_hash == hashed, OAuthToken.refresh_hash == hashed)
    return db.execute(_PRESENTED.where(matches)).first()


def spend_refresh(db: Session, token_id: int, now: datetime) -> bool:
    """Use up the refresh token of a row; False where somebody else did, or it has ended."""
    done = db.execute(
        change(OAuthToken)
        .where(
            OAuthToken.id == token_id,
            OAuthToken.refreshed_at.is_(None),
            OAuthToken.revoked_at.is_(None),
            OAuthToken.refresh_expires_at > now,
        )
        .values(refreshed_at=now)
        .returning(OAuthToken.id)
    )
    return done.first() is not None


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
    revoke_family(db, spent.family, now)
    return True


def revoke_family(db: Session, family: str, now: datetime) -> None:
    """End every token of a family, those too that are being refreshed at this moment.

    PostgreSQL's UPDATE waits for the refresh that holds a row, but does not see the row which
    that refresh has added: hence again, until nothing is left.
    """
    while _revoke(db, OAuthToken.family == family, now):
        pass


def revoke_user(db: Session, user_id: int, now: datetime) -> None:
    """End every token of a user (who is deleted, say)."""
    while _revoke(db, OAuthToken.user_id == user_id, now):
        pass


def revoke_grant(db: Session, user_id: int, client_id: int, now: datetime) -> int:
    """End what a user allowed a client (its row), and return how many tokens that were."""
    matches = and_(OAuthToken.user_id == user_id, OAuthToken.client_id == client_id)
    ended = 0
    while more := _revoke(db, matches, now):
        ended += more
    return ended


def revoke_token(db: Session, token_id: int, now: datetime) -> None:
    """End the access token of a row, and the refresh token that was given out with it."""
    _revoke(db, OAuthToken.id == token_id, now)


def _revoke(db: Session, matches: ColumnElement[bool], now: datetime) -> int:
    done = db.execute(
        change(OAuthToken)
        .where(matches, OAuthToken.revoked_at.is_(None))
        .values(revoked_at=now)
        .returning(OAuthToken.id)
    )
    return len(done.all())


def end_refreshing(db: Session, user_id: int, now: datetime) -> None:
    """Let no refresh token of a user work any longer (a changed password); access tokens expire."""
    db.execute(
        change(OAuthToken)
        .where(OAuthToken.user_id == user_id, OAuthToken.refresh_expires_at > now)
        .values(refresh_expires_at=now)
    )


def purge(db: Session) -> int:
    """Remove the tokens that have expired or ended, and return how many.

    A used refresh token stays until it would have expired: its second use must be noticed.
    """
    now = clock.now()
    done = db.execute(
        remove(OAuthToken)
        .where(
            or_(
                OAuthToken.revoked_at.is_not(None),
                and_(
                    OAuthToken.access_expires_at <= now,
                    or_(
                        OAuthToken.refresh_expires_at.is_(None),
                        OAuthToken.refresh_expires_at <= now,
                    ),
                ),
            )
        )
        .returning(OAuthToken.id)
    )
    return len(done.all())


def builtin_client(db: Session) -> int:
    """Return the row of the command line's own client, made where it is not there yet."""
    insert_if_absent(
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
