"""Resetting a forgotten password by a signed token.

A reset token is not stored. Its signature covers the account's password hash and e-mail, so it
becomes invalid when it is used, and when the password or the e-mail address changes.
"""

import hmac
import re
from base64 import urlsafe_b64encode
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select
from sqlalchemy.orm import Session

from ..email_addresses import email_key
from ..models import User, UserState

TTL = timedelta(hours=1)
_RESET_TOKEN = re.compile(r"([1-9][0-9]{0,18})\.([0-9]{1,12})\.([A-Za-z0-9_-]{43})", re.ASCII)


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
    key = email.strip().lower()
    # `key`: of an address that an account has from before `email_key` was as strict.
    row = db.execute(_ACCOUNTS.where(User.email_key.in_({key, email_key(email) or key}))).first()
    return _account_of_row(row)


def create_reset_token(secret: str, account: ResetAccount, now: datetime) -> str:
    """Return a reset token for the account, valid for `TTL`. secret: session.secret."""
    expires = int((now + TTL).timestamp())
    return f"{account.id}.{expires}.{_signature(secret, account, expires)}"


def verify_reset_token(
    db: Session | Connection, secret: str, reset_token: str, now: datetime, *, lock: bool = False
) -> ResetAccount | None:
    """Return the account of a reset token, or None if it is forged, expired or used.

    lock: lock the account until the transaction ends.
    """
    match = _RESET_TOKEN.fullmatch(reset_token)
    if match is None or int(match[2]) <= now.timestamp() or int(match[1]) >= 2**63:
        return None
    query = _ACCOUNTS.where(User.id == int(match[1]))
    account = _account_of_row(db.execute(query.with_for_update() if lock else query).first())
    if account is None:
        return None
    expected = _signature(secret, account, int(match[2]))
    return account if hmac.compare_digest(expected, match[3]) else None


def _account_of_row(row: Row[Any] | None) -> ResetAccount | None:
    return (
        None if row is None else ResetAccount(row.id, row.login, row.email or "", row.password_hash)
    )


def _signature(secret: str, account: ResetAccount, expires: int) -> str:
    state = [str(account.id), str(expires), account.email, account.password_hash or ""]
    message = "\0".join(["password reset", *state]).encode()
    signature = hmac.new(secret.encode(), message, sha256).digest()
    return urlsafe_b64encode(signature).rstrip(b"=").decode()
