"""Tokens as an administrator sees them: what identifies one, and ending them; never a secret."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, case, func, null, select
from sqlalchemy.orm import Session

from ..db.statements import delete_of
from ..errors import NotFound
from ..ids import MAX_ID
from ..models import OAuthClient, OAuthCode, OAuthToken, User
from ..queries.accounts import is_valid_token
from .revocation import revoke_all

_COLUMNS: tuple[Any, ...] = (
    OAuthToken.id,
    OAuthClient.client_id.label("client"),
    User.login,
    OAuthToken.scope,
    OAuthToken.issued_by,
    OAuthToken.created_at,
    OAuthToken.access_expires_at,
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
    access_expires_at, refresh_expires_at (None where there is nothing to refresh), revoked_at.

    user_id, client_id: rows, None for any; ended: those too that have expired or were revoked.
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
    """Return how many tokens of a client (its row) are alive."""
    mine = select(func.count()).where(OAuthToken.client_id == client_id, is_valid_token(now))
    return db.execute(mine).scalar_one()


def revoke_with_family(db: Session, token_id: int, now: datetime) -> int:
    """End a token with all that were refreshed from the same log-in; return how many ended.

    Raises NotFound where there is no token of this id.
    """
    known = token_id if 0 < token_id <= MAX_ID else 0
    family = db.scalar(select(OAuthToken.family).where(OAuthToken.id == known))
    if family is None:
        raise NotFound(f"There is no token {token_id}.")
    return revoke_all(db, OAuthToken.family == family, now)


def revoke_matching(
    db: Session, now: datetime, *, user_id: int | None, client_id: int | None
) -> int:
    """End the tokens of a user, of a client, or of both together; return how many ended.

    Codes that were not used yet end, too: each would give a token. At least one is to be given.
    """
    matches = _conditions(OAuthToken, user_id, client_id)
    assert matches, "not every token there is"  # noqa: S101 - an invariant of ours
    unused = OAuthCode.used_at.is_(None)
    db.execute(delete_of(OAuthCode).where(*_conditions(OAuthCode, user_id, client_id), unused))
    return revoke_all(db, and_(*matches), now)


def _conditions(
    model: type[OAuthToken] | type[OAuthCode], user_id: int | None, client_id: int | None
) -> list[ColumnElement[bool]]:
    found = []
    if user_id is not None:
        found.append(model.user_id == user_id)
    if client_id is not None:
        found.append(model.client_id == client_id)
    return found
