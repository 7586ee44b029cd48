"""Tokens for administrators: listing and revoking them; secrets are never shown."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, case, func, null, select
from sqlalchemy.orm import Session

from ..db.statements import delete_of
from ..errors import NotFound
from ..models import OAuthClient, OAuthCode, OAuthToken, User
from ..queries.accounts import is_valid_token
from ..text.ids import MAX_ID
from .revocation import revoke_all

_COLUMNS: tuple[Any, ...] = (
    OAuthToken.id,
    OAuthClient.client_id.label("client"),
    User.login,
    OAuthToken.scope,
    OAuthToken.issued_by,
    OAuthToken.created_at,
    OAuthToken.access_expires_at.label("expires_at"),
    case((OAuthToken.refreshed_at.is_(None), OAuthToken.refresh_expires_at), else_=null()).label(
        "refresh_expires_at"
    ),
    OAuthToken.revoked_at,
)


def list_tokens(
    db: Session | Connection,
    now: datetime,
    *,
    user_id: int | None,
    client_id: int | None,
    include_inactive: bool,
) -> Sequence[Row[Any]]:
    """Return tokens, oldest first: id, client, login, scope, issued_by, created_at,
    expires_at, refresh_expires_at (None if there is no usable refresh token), revoked_at.

    user_id, client_id: primary keys, None for any; include_inactive: whether to return expired and
    revoked tokens, too.
    """
    query = (
        select(*_COLUMNS)
        .select_from(OAuthToken)
        .join(OAuthClient, OAuthClient.id == OAuthToken.client_id)
        .outerjoin(User, User.id == OAuthToken.user_id)
        .where(*_conditions(OAuthToken, user_id, client_id))
        .order_by(OAuthToken.id)
    )
    return db.execute(query if include_inactive else query.where(is_valid_token(now))).all()


def count_for_client(db: Session | Connection, client_id: int, now: datetime) -> int:
    """Return how many active tokens a client has. client_id: the primary key."""
    query = select(func.count()).where(OAuthToken.client_id == client_id, is_valid_token(now))
    return db.execute(query).scalar_one()


def revoke_with_family(db: Session, token_id: int, now: datetime) -> int:
    """Revoke a token and the rest of its family; return how many were revoked.

    Raises NotFound if there is no token with this id.
    """
    possible_id = token_id if 0 < token_id <= MAX_ID else 0
    family = db.scalar(select(OAuthToken.family).where(OAuthToken.id == possible_id))
    if family is None:
        raise NotFound(f"There is no token {token_id}.")
    return revoke_all(db, OAuthToken.family == family, now)


def revoke_matching(
    db: Session, now: datetime, *, user_id: int | None, client_id: int | None
) -> int:
    """Revoke the tokens of a user, of a client, or of a user at a client; return how many.

    It also deletes the unused codes, each of which could be exchanged for a token. A used one
    stays, so that its reuse is still detected. At least one argument must be given.
    """
    matches = _conditions(OAuthToken, user_id, client_id)
    assert matches, "it must never revoke every token"  # noqa: S101
    unused = OAuthCode.used_at.is_(None)
    db.execute(delete_of(OAuthCode).where(*_conditions(OAuthCode, user_id, client_id), unused))
    return revoke_all(db, and_(*matches), now)


def _conditions(
    model: type[OAuthToken] | type[OAuthCode], user_id: int | None, client_id: int | None
) -> list[ColumnElement[bool]]:
    conditions = []
    if user_id is not None:
        conditions.append(model.user_id == user_id)
    if client_id is not None:
        conditions.append(model.client_id == client_id)
    return conditions
