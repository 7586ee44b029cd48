"""Resetting a forgotten password by a signed token.

Its signature covers the account's password hash and e-mail, so it becomes invalid when it is used,
and when the password or the e-mail address changes.
"""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select
from sqlalchemy.orm import Session

from ...models import User, UserState
from ...text.email_addresses import email_key
from . import signed_tokens

TTL = timedelta(hours=1)
_PURPOSE = "password reset"


class ResetAccount(NamedTuple):
    """The account that a reset token is for."""

    id: int
    login: str
    email: str
    password_hash: str | None


_COLUMNS: tuple[Any, ...] = (User.id, User.login, User.email, User.password_hash)
_ACCOUNTS = select(*_COLUMNS).where(User.state != UserState.DELETED, User.email.is_not(None))


def find(db: Session | Connection, email: str) -> ResetAccount | None:
    """Return the account with this e-mail, ignoring case, or None."""
    key = email_key(email)
    return (
        None
        if key is None
        else _account_of_row(db.execute(_ACCOUNTS.where(User.email_key == key)).first())
    )


def find_by_id(db: Session | Connection, user_id: int) -> ResetAccount | None:
    """Return the account with this id; None if it is deleted or has no e-mail."""
    return _account_of_row(db.execute(_ACCOUNTS.where(User.id == user_id)).first())


def create_reset_token(
    secret: str, account: ResetAccount, now: datetime, *, ttl: timedelta = TTL
) -> str:
    """Return a reset token for the account, valid for `ttl`. secret: session.secret."""
    return signed_tokens.create(secret, _PURPOSE, account.id, now + ttl, _state(account))


def verify_reset_token(
    db: Session | Connection, secret: str, reset_token: str, now: datetime, *, lock: bool = False
) -> ResetAccount | None:
    """Return the account of a reset token, or None if it is forged, expired or used.

    lock: lock the account until the transaction ends.
    """

    def find_account(user_id: int) -> ResetAccount | None:
        query = _ACCOUNTS.where(User.id == user_id)
        return _account_of_row(db.execute(query.with_for_update() if lock else query).first())

    return signed_tokens.verify(secret, _PURPOSE, reset_token, now, find_account, _state)


def _account_of_row(row: Row[Any] | None) -> ResetAccount | None:
    return (
        None if row is None else ResetAccount(row.id, row.login, row.email or "", row.password_hash)
    )


def _state(account: ResetAccount) -> tuple[str, str]:
    return account.email, account.password_hash or ""
