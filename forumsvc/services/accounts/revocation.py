"""Revoking the sessions and tokens of a user, or those of a user's applications."""

from datetime import datetime

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session

from ...db.statements import delete_of, update_of, with_row_locks
from ...models import BrowserSession, IssuedBy, OAuthClient, OAuthCode, OAuthToken


def revoke_all(
    db: Session, user_id: int, moment: datetime, *, issued_by_admin: bool = False
) -> None:
    """Delete the sessions and unused codes of a user, and revoke the tokens.

    issued_by_admin: also the tokens that an administrator issued. The caller has locked the user's
    row. Issuing a token takes a shared lock on that row first
    (`oauth.resource_owners.lock_client_and_user`), so a token issued at this moment is either seen
    here or finds its grant revoked.
    """
    db.execute(delete_of(BrowserSession).where(BrowserSession.user_id == user_id))
    _delete_unused_codes(db, OAuthCode.user_id == user_id)
    matches = OAuthToken.user_id == user_id
    if not issued_by_admin:
        matches = and_(matches, OAuthToken.issued_by != IssuedBy.ADMIN)
    _revoke_tokens(db, matches, moment)


def revoke_at_applications_of(db: Session, owner_id: int, moment: datetime) -> None:
    """Delete the unused codes and revoke the tokens of all users at a member's applications.

    The caller has changed the owner's row. Issuing a token to such an application locks that row
    first, as in `revoke_all`.
    """
    application_ids = select(OAuthClient.id).where(OAuthClient.owner_id == owner_id)
    _delete_unused_codes(db, OAuthCode.client_id.in_(application_ids))
    _revoke_tokens(db, OAuthToken.client_id.in_(application_ids), moment)


def _delete_unused_codes(db: Session, matches: ColumnElement[bool]) -> None:
    # Deleted, not expired: an exchange that waits for this transaction compares with the time at
    # which it began. A used code stays, so that a second use is detected.
    db.execute(delete_of(OAuthCode).where(matches, OAuthCode.used_at.is_(None)))


def _revoke_tokens(db: Session, matches: ColumnElement[bool], moment: datetime) -> None:
    """Revoke the matching tokens, locked in the order of their ids to avoid deadlocks."""
    valid = and_(matches, OAuthToken.revoked_at.is_(None))
    in_order = select(OAuthToken.id).where(valid).order_by(OAuthToken.id)
    db.execute(with_row_locks(in_order, OAuthToken)).all()
    db.execute(update_of(OAuthToken).where(valid).values(revoked_at=moment))
