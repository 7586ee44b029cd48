"""Logging in by password: the same for the token endpoint and for the pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.orm import Session

from ..errors import RateLimited
from ..passwords import require_slot, verify_password
from . import resource_owners, throttle


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """An attempt to log in that was let through. owner: the user, None where it failed."""

    user: resource_owners.ResourceOwner | None
    key: throttle.AttemptKey


def authenticate(
    reads: Engine,
    settings: Mapping[str, Any],
    username: str,
    password: str,
    *,
    address: str,
    now: datetime,
) -> LoginAttempt:
    """Check a username (login or e-mail) and a password that came from `address`.

    Nothing is written and no connection is held while the password is hashed; an unknown user
    costs what a known one does. Raises RateLimited, whatever the password, and PasswordsBusy.
    """
    require_slot()
    with reads.connect() as connection:
        owner = resource_owners.find(connection, username)
        user_id = None if owner is None else owner.id
        key = throttle.attempt_key(settings["session.secret"], username, user_id, address)
        _check_throttle(connection, key, settings, now)
    verified = resource_owners.check_password(owner, password)
    # Guesses that were let through together are as many as there are threads: those that come out
    # after the limit was reached learn nothing, right or wrong.
    with reads.connect() as connection:
        _check_throttle(connection, key, settings, now)
    return LoginAttempt(verified, key)


def _check_throttle(
    connection: Connection, key: throttle.AttemptKey, settings: Mapping[str, Any], now: datetime
) -> None:
    if wait := throttle.retry_after(connection, key, settings, now):
        raise RateLimited(f"Too many failed attempts. Try again in {wait} seconds.", wait)
    if wait := throttle.retry_after_successes(connection, key, settings, now):
        raise RateLimited(f"Too many log-ins. Try again in {wait} seconds.", wait)


def password_unchanged(attempt: LoginAttempt, password: str, password_hash: str | None) -> bool:
    """Return whether the password that was checked fits what is the user's hash by now."""
    assert attempt.user is not None, "it succeeded"  # noqa: S101
    return attempt.user.password_hash == password_hash or verify_password(password_hash, password)


def record_failure(
    db: Session, attempt: LoginAttempt, settings: Mapping[str, Any], now: datetime
) -> None:
    """Count a failed attempt; the caller sees to it that this is committed."""
    throttle.record_failure(db, attempt.key, settings, now)


def record_success(db: Session, attempt: LoginAttempt, now: datetime) -> None:
    """Write down a right password: that there was one, the hash if outdated, and the address."""
    assert attempt.user is not None, "it succeeded"  # noqa: S101
    resource_owners.rehash(db, attempt.user)
    throttle.record_success(db, attempt.key, attempt.user.id, now)
