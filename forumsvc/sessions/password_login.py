"""Log-in by password, for the token endpoint and for the pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.orm import Session

from ..errors import too_many
from ..process.passwords import require_slot, verify_password
from . import throttle, users
from .authentication import Authentication


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """A login attempt that was not throttled. user: None if the login or password was wrong."""

    user: users.LoginUser | None
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
        user = users.find(connection, username)
        user_id = None if user is None else user.id
        key = throttle.attempt_key(settings["session.secret"], username, user_id, address)
        _check_throttle(connection, key, settings, now)
    verified = users.check_password(user, password)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordAuthentication(Authentication):
    """A password that was right when it was checked, in `attempt`."""

    attempt: LoginAttempt
    password: str = field(repr=False)

    def is_still_valid(self, password_hash: str | None) -> bool:
        """Return whether the password is unchanged.

        Only an outdated hash may be another one of the same password, by a log-in at the same time.
        No other is verified again: that takes long.
        """
        user = _user_of(self.attempt)
        if user.password_hash == password_hash:
            return True
        return user.new_hash is not None and verify_password(password_hash, self.password)

    @property
    def updates_user(self) -> bool:
        """Whether `record` updates the user's row, as the hash is outdated."""
        return _user_of(self.attempt).new_hash is not None

    def record(self, db: Session) -> None:
        record_success(db, self.attempt, self.at)


def proof_of(attempt: LoginAttempt, password: str, now: datetime) -> PasswordAuthentication:
    """Return what a successful attempt proves."""
    user_id = _user_of(attempt).id
    return PasswordAuthentication(
        user_id=user_id, means="password", at=now, attempt=attempt, password=password
    )


def _user_of(attempt: LoginAttempt) -> users.LoginUser:
    assert attempt.user is not None, "the attempt succeeded"  # noqa: S101
    return attempt.user


def record_failure(
    db: Session, attempt: LoginAttempt, settings: Mapping[str, Any], now: datetime
) -> None:
    """Count a failed attempt; the caller must commit it although the request fails."""
    throttle.record_failure(db, attempt.key, settings, now)


def record_success(db: Session, attempt: LoginAttempt, now: datetime) -> None:
    """Count a successful attempt, store its address, and update the hash if it is outdated."""
    user = _user_of(attempt)
    users.rehash(db, user)
    throttle.record_success(db, attempt.key, user.id, now)
