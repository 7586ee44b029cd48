"""Login by password, for the token endpoint and for the pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.orm import Session

from ..errors import too_many
from ..passwords import require_slot, verify_password
from . import resource_owners, throttle


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """A login attempt that was not throttled. user: None if the login or password was wrong."""

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
    """Check a username (login or email) and a password. address: the caller's IP address.

    It writes nothing and holds no connection while the password is hashed; an unknown user takes
    the same time as a known one. Raises RateLimited, whatever the password, and PasswordsBusy.
    """
    require_slot()
    with reads.connect() as connection:
        user = resource_owners.find(connection, username)
        user_id = None if user is None else user.id
        key = throttle.attempt_key(settings["session.secret"], username, user_id, address)
        _check_throttle(connection, key, settings, now)
    verified = resource_owners.check_password(user, password)
    # As many guesses as there are threads can pass the first check at once. The second check hides
    # the result from those that finish after the limit was reached.
    with reads.connect() as connection:
        _check_throttle(connection, key, settings, now)
    return LoginAttempt(verified, key)


def _check_throttle(
    connection: Connection, key: throttle.AttemptKey, settings: Mapping[str, Any], now: datetime
) -> None:
    if wait := throttle.retry_after(connection, key, settings, now):
        raise too_many("Too many failed attempts. Try again in %(seconds)d seconds.", wait)
    if wait := throttle.retry_after_successes(connection, key, settings, now):
        raise too_many("Too many logins. Try again in %(seconds)d seconds.", wait)


def password_unchanged(attempt: LoginAttempt, password: str, password_hash: str | None) -> bool:
    """Return whether the checked password matches the hash that the user has now, locked.

    Only an outdated hash may be another one of the same password, by a log-in at the same time. No
    other is verified again: that takes long.
    """
    user = attempt.user
    assert user is not None, "the attempt succeeded"  # noqa: S101
    if user.password_hash == password_hash:
        return True
    return user.new_hash is not None and verify_password(password_hash, password)


def record_failure(
    db: Session, attempt: LoginAttempt, settings: Mapping[str, Any], now: datetime
) -> None:
    """Count a failed attempt; the caller must commit it although the request fails."""
    throttle.record_failure(db, attempt.key, settings, now)


def record_success(db: Session, attempt: LoginAttempt, now: datetime) -> None:
    """Count a successful attempt, store its address, and update the hash if it is outdated."""
    assert attempt.user is not None, "the attempt succeeded"  # noqa: S101
    resource_owners.rehash(db, attempt.user)
    throttle.record_success(db, attempt.key, attempt.user.id, now)
