"""Logging in by password: the same for the token endpoint and for the pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.orm import Session

from ..errors import TooManyAttempts
from ..passwords import require_slot, verify_password
from . import owners, throttle


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to log in that was let through. owner: the user, None where it failed."""

    owner: owners.Owner | None
    key: throttle.Key


def attempt(
    reads: Engine,
    settings: Mapping[str, Any],
    username: str,
    password: str,
    *,
    address: str,
    now: datetime,
) -> Attempt:
    """Check a username (login or e-mail) and a password that came from `address`.

    Nothing is written and no connection is held while the password is hashed; an unknown user
    costs what a known one does. Raises TooManyAttempts, whatever the password, and PasswordsBusy.
    """
    require_slot()
    with reads.connect() as connection:
        owner = owners.find(connection, username)
        user_id = None if owner is None else owner.id
        key = throttle.key(settings["session.secret"], username, user_id, address)
        _refuse_to_hurry(connection, key, settings, now)
    verified = owners.verified(owner, password)
    # Guesses that were let through together are as many as there are threads: those that come out
    # after the limit was reached learn nothing, right or wrong.
    with reads.connect() as connection:
        _refuse_to_hurry(connection, key, settings, now)
    return Attempt(verified, key)


def _refuse_to_hurry(
    connection: Connection, key: throttle.Key, settings: Mapping[str, Any], now: datetime
) -> None:
    if wait := throttle.wait(connection, key, settings, now):
        raise TooManyAttempts(f"Too many failed attempts. Try again in {wait} seconds.", wait)
    if wait := throttle.wait_after_successes(connection, key, settings, now):
        raise TooManyAttempts(f"Too many log-ins. Try again in {wait} seconds.", wait)


def still_good(attempt: Attempt, password: str, password_hash: str | None) -> bool:
    """Return whether the password that was checked fits what is the user's hash by now."""
    assert attempt.owner is not None, "it succeeded"  # noqa: S101
    return attempt.owner.password_hash == password_hash or verify_password(password_hash, password)


def failed(db: Session, attempt: Attempt, settings: Mapping[str, Any], now: datetime) -> None:
    """Count a failed attempt; the caller sees to it that this is committed."""
    throttle.failed(db, attempt.key, settings, now)


def succeeded(db: Session, attempt: Attempt, now: datetime) -> None:
    """Write down a right password: that there was one, the hash if outdated, and the address."""
    assert attempt.owner is not None, "it succeeded"  # noqa: S101
    owners.rehash(db, attempt.owner)
    throttle.succeeded(db, attempt.key, attempt.owner.id, now)
