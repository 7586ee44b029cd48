"""The applications that a user has authorized: listing them and revoking their access."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, func, select
from sqlalchemy.orm import Session

from ..models import OAuthClient, OAuthToken
from ..queries.accounts import is_valid_token
from .clients import SCOPES
from .token_admin import revoke_matching


class Authorization(NamedTuple):
    """A client with active tokens of a user. since: when the oldest of them was issued."""

    client_id: str
    name: str
    scopes: tuple[str, ...]
    since: datetime


_scope = func.coalesce(OAuthToken.refresh_scope, OAuthToken.scope)


def list_authorizations(
    db: Session | Connection, user_id: int, now: datetime
) -> list[Authorization]:
    """Return a user's authorizations, ordered by client name. One SELECT."""
    rows = db.execute(
        select(
            OAuthClient.client_id,
            OAuthClient.name,
            _scope.label("scope"),
            func.min(OAuthToken.created_at).label("since"),
        )
        .join(OAuthClient, OAuthClient.id == OAuthToken.client_id)
        .where(OAuthToken.user_id == user_id, is_valid_token(now))
        .group_by(OAuthClient.client_id, OAuthClient.name, _scope)
    )
    result: dict[str, Authorization] = {}
    for row in rows:
        scope_set = set(row.scope.split())
        since = row.since
        if (before := result.get(row.client_id)) is not None:
            scope_set |= set(before.scopes)
            since = min(since, before.since)
        scopes = tuple(scope for scope in SCOPES if scope in scope_set)
        result[row.client_id] = Authorization(row.client_id, row.name, scopes, since)
    return sorted(result.values(), key=lambda one: (one.name.lower(), one.client_id))


def revoke(db: Session, user_id: int, client_id: str, now: datetime) -> bool:
    """Revoke all access that a user gave a client; return whether the client exists."""
    row_id = db.scalar(select(OAuthClient.id).where(OAuthClient.client_id == client_id))
    if row_id is None:
        return False
    revoke_matching(db, now, user_id=user_id, client_id=row_id)
    return True
