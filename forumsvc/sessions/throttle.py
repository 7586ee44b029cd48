"""Throttling of password guesses: failed logins are counted in the database, for all processes.

Three counts are kept over a sliding window: per account and IP address, per account, and per
address. Beyond its limit each further failure doubles the wait. Only the first count applies to an
address that the user has logged in from before, so strangers cannot lock users out of their own
accounts.

Successful logins are limited, too, per account and per address, because each costs a password hash;
only somebody who knows the password can use up the limit of an account.
"""

import hmac
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, and_, case, exists, func, insert, or_, select
from sqlalchemy.orm import Session

from ..db.statements import delete_of, insert_or_ignore, update_of
from ..models import LoginAddress, LoginFailure, LoginSuccess
from ..text.email_addresses import email_key
from ..text.ip_addresses import client_network

KNOWN_ADDRESS_TTL = timedelta(days=180)
"""How long an address counts as known after the user's last login from it."""
_LONGEST_WINDOW = timedelta(days=1)
"""The largest `accounts.login_window_seconds`; older rows are deleted."""


@dataclass(frozen=True, slots=True)
class AttemptKey:
    """What an attempt is counted under.

    account: of the name as typed, and address: keyed hashes (HMAC); user_id: None if unknown.
    """

    account: str
    address: str
    user_id: int | None


def attempt_key(secret: str, username: str, user_id: int | None, address: str) -> AttemptKey:
    """Return the key of an attempt.

    secret: `session.secret`; username: as typed; address: the caller's IP address. The login and
    the email of a user are counted apart: otherwise the wait for one would tell that the other
    belongs to it.
    """
    name = email_key(username) or username.strip().lower()
    return AttemptKey(
        _keyed_hash(secret, f"name {name}"),
        _keyed_hash(secret, f"address {client_network(address)}"),
        user_id,
    )


def _keyed_hash(secret: str, text: str) -> str:
    return hmac.new(secret.encode(), text.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def retry_after(
    db: Session | Connection, key: AttemptKey, settings: Mapping[str, Any], now: datetime
) -> int:
    """Return for how many seconds the next attempt must wait; 0 if it need not."""
    window = timedelta(seconds=settings["accounts.login_window_seconds"])
    of_account = LoginFailure.account == key.account
    of_address = LoginFailure.address == key.address
    columns = []
    for matches in (and_(of_account, of_address), of_account, of_address):
        columns += [
            func.count(case((matches, 1))),
            func.max(case((matches, LoginFailure.failed_at))),
        ]
    row = db.execute(
        select(*columns).where(or_(of_account, of_address), LoginFailure.failed_at > now - window)
    ).one()
    step = settings["accounts.login_wait_seconds"]
    limit_of_pair = settings["accounts.login_failures"]
    limit_of_each = settings["accounts.login_failures_per_account_or_address"]
    wait_of_pair = _remaining_wait(row[0], row[1], limit_of_pair, step, window, now)
    wait_of_each = max(
        _remaining_wait(row[2], row[3], limit_of_each, step, window, now),
        _remaining_wait(row[4], row[5], limit_of_each, step, window, now),
    )
    if wait_of_each > wait_of_pair and not _is_known(db, key, now):
        return wait_of_each
    return wait_of_pair


def retry_after_successes(
    db: Session | Connection, key: AttemptKey, settings: Mapping[str, Any], now: datetime
) -> int:
    """Return for how many seconds an attempt must wait because too many succeeded; 0 for none."""
    window = timedelta(seconds=settings["accounts.login_window_seconds"])
    time = LoginSuccess.succeeded_at
    seconds = 0
    for matches, limit in (
        (LoginSuccess.account == key.account, settings["accounts.logins_per_user"]),
        (LoginSuccess.address == key.address, settings["accounts.logins_per_address"]),
    ):
        counted = select(time).where(matches, time > now - window).order_by(time.desc())
        oldest = db.execute(counted.offset(limit - 1).limit(1)).scalar_one_or_none()
        if oldest is not None:
            seconds = max(seconds, math.ceil((oldest + window - now).total_seconds()))
    return seconds


def _remaining_wait(
    failures: int, last: datetime | None, limit: int, step: int, window: timedelta, now: datetime
) -> int:
    if last is None or failures < limit:
        return 0
    doubled = timedelta(seconds=step * 2 ** min(failures - limit, 30))
    return max(0, math.ceil((last + min(doubled, window) - now).total_seconds()))


def _is_known(db: Session | Connection, key: AttemptKey, now: datetime) -> bool:
    known = exists().where(
        LoginAddress.user_id == (key.user_id or 0),
        LoginAddress.address == key.address,
        LoginAddress.seen_at >= now - KNOWN_ADDRESS_TTL,
    )
    return bool(db.execute(select(known)).scalar_one())


def record_failure(
    db: Session, key: AttemptKey, settings: Mapping[str, Any], now: datetime
) -> None:
    """Count a failure, and delete the expired ones."""
    window = timedelta(seconds=settings["accounts.login_window_seconds"])
    db.execute(delete_of(LoginFailure).where(LoginFailure.failed_at <= now - window))
    db.execute(insert(LoginFailure).values(account=key.account, address=key.address, failed_at=now))


def record_success(db: Session, key: AttemptKey, user_id: int, now: datetime) -> None:
    """Count a success, delete the user's failures from this address, and store it as known."""
    db.execute(delete_of(LoginSuccess).where(LoginSuccess.succeeded_at <= now - _LONGEST_WINDOW))
    counted = {"account": key.account, "address": key.address, "succeeded_at": now}
    db.execute(insert(LoginSuccess).values(**counted))
    db.execute(
        delete_of(LoginFailure).where(
            LoginFailure.account == key.account, LoginFailure.address == key.address
        )
    )
    db.execute(delete_of(LoginAddress).where(LoginAddress.seen_at < now - KNOWN_ADDRESS_TTL))
    seen = db.execute(
        update_of(LoginAddress)
        .where(LoginAddress.user_id == user_id, LoginAddress.address == key.address)
        .values(seen_at=now)
        .returning(LoginAddress.user_id)
    )
    if seen.first() is None:
        insert_or_ignore(db, LoginAddress, user_id=user_id, address=key.address, seen_at=now)
