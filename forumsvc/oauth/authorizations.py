"""The applications that a user has authorized: listing them and revoking their access."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, func, or_, select
from sqlalchemy.orm import Session

from ..db.statements import delete_of
from ..models import OAuthClient, OAuthCode, OAuthToken
from .clients import SCOPES
from .revocation import revoke_client_access


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
    refreshable = and_(OAuthToken.refreshed_at.is_(None), OAuthToken.refresh_expires_at > now)
    rows = db.execute(
        select(
            OAuthClient.client_id,
            OAuthClient.name,
            _scope.label("scope"),
            func.min(OAuthToken.created_at).label("since"),
        )
        .join(OAuthClient, OAuthClient.id == OAuthToken.client_id)
        .where(
            OAuthToken.user_id == user_id,
            OAuthToken.revoked_at.is_(None),
            or_(OAuthToken.access_expires_at > now, refreshable),
        )
        .group_by(OAuthClient.client_id, OAuthClient.name, _scope)
    )
    found: dict[str, Authorization] = {}
    for row in rows:
        scope_set = set(row.scope.split())
        since = row.since
        if (before := found.get(row.client_id)) is not None:
            scope_set |= set(before.scopes)
            since = min(since, before.since)
        scopes = tuple(scope for scope in SCOPES if scope in scope_set)
        found[row.client_id] = Authorization(row.client_id, row.name, scopes, since)
    return sorted(found.values(), key=lambda one: (one.name.lower(), one.client_id))


def revoke(db: Session, user_id: int, client_id: str, now: datetime) -> bool:
    """Revoke all access that a user gave a client; return whether the client exists."""
    row_id = db.scalar(select(OAuthClient.id).where(OAuthClient.client_id == client_id))
    if row_id is None:
        return False
    # A used code stays, so that its reuse is still detected.
    db.execute(
        delete_of(OAuthCode).where(
            OAuthCode.user_id == user_id,
            OAuthCode.client_id == row_id,
            OAuthCode.used_at.is_(None),
        )
    )
    revoke_client_access(db, user_id, row_id, now)
    return True
