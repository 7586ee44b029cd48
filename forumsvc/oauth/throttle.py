"""Guessing is slow: failed log-ins are counted in the database, where all processes see them.

Three counts are kept over a sliding window: of an account from one address, of an account, and of
an address. From its limit on each further failure doubles the wait. Waits end by themselves, and
an address from which the user has logged in before is only held to the first count: so strangers
can slow each other down, but not lock anybody out of his own account.

Right passwords are counted for themselves, of an account and of an address, because each costs a
hash; only who knows the password can use up an account's.
"""

import hmac
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from sqlalchemy import Connection, and_, case, exists, func, insert, or_, select
from sqlalchemy.orm import Session

from ..db.statements import delete_of, insert_or_ignore, update_of
from ..models import LoginAddress, LoginFailure, LoginSuccess

KNOWN_ADDRESS_TTL = timedelta(days=180)
"""For how long an address counts as the user's own after the last log-in from it."""
_LONGEST_WINDOW = timedelta(days=1)
"""The largest `accounts.login_window_seconds`: what is older counts nowhere."""


@dataclass(frozen=True, slots=True)
class AttemptKey:
    """Who tries from where. account, address: keyed digests, of nothing that could be read back;
    user_id: where the account is somebody's.
    """

    account: str
    address: str
    user_id: int | None


def attempt_key(secret: str, username: str, user_id: int | None, address: str) -> AttemptKey:
    """Return under what an attempt is counted.

    secret: the service's; username: as typed; address: the caller's. A user's login and e-mail
    count as one account.
    """
    account = f"name {username.strip().lower()}" if user_id is None else f"user {user_id}"
    return AttemptKey(
        _keyed_hash(secret, account),
        _keyed_hash(secret, f"address {rate_limit_network(address)}"),
        user_id,
    )


def _keyed_hash(secret: str, text: str) -> str:
    return hmac.new(secret.encode(), text.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def rate_limit_network(address: str) -> str:
    """Return under what an address is counted: of IPv6 the /64 network that a subscriber has."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ip_network((parsed, 64), strict=False))
    return str(parsed)


def retry_after(
    db: Session | Connection, key: AttemptKey, settings: Mapping[str, Any], now: datetime
) -> int:
    """Return for how many seconds the next attempt must wait; 0 where it need not."""
    window = timedelta(seconds=settings["accounts.login_window_seconds"])
    mine = LoginFailure.account == key.account
    here = LoginFailure.address == key.address
    columns = []
    for matches in (and_(mine, here), mine, here):
        columns += [
            func.count(case((matches, 1))),
            func.max(case((matches, LoginFailure.failed_at))),
        ]
    row = db.execute(
        select(*columns).where(or_(mine, here), LoginFailure.failed_at > now - window)
    ).one()
    first, step = settings["accounts.login_failures"], settings["accounts.login_wait_seconds"]
    many = settings["accounts.login_failures_per_account_or_address"]
    both = _remaining_wait(row[0], row[1], first, step, window, now)
    alone = max(
        _remaining_wait(row[2], row[3], many, step, window, now),
        _remaining_wait(row[4], row[5], many, step, window, now),
    )
    if alone > both and not _is_known(db, key):
        return alone
    return both


def retry_after_successes(
    db: Session | Connection, key: AttemptKey, settings: Mapping[str, Any], now: datetime
) -> int:
    """Return for how many seconds an attempt must wait because many succeeded; 0 for none."""
    window = timedelta(seconds=settings["accounts.login_window_seconds"])
    moment = LoginSuccess.succeeded_at
    seconds = 0
    for matches, limit in (
        (LoginSuccess.account == key.account, settings["accounts.logins_per_user"]),
        (LoginSuccess.address == key.address, settings["accounts.logins_per_address"]),
    ):
        counted = select(moment).where(matches, moment > now - window).order_by(moment.desc())
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


def _is_known(db: Session | Connection, key: AttemptKey) -> bool:
    known = exists().where(
        LoginAddress.user_id == (key.user_id or 0), LoginAddress.address == key.address
    )
    return bool(db.execute(select(known)).scalar_one())


def record_failure(
    db: Session, key: AttemptKey, settings: Mapping[str, Any], now: datetime
) -> None:
    """Count a failure, and forget those that count no longer."""
    window = timedelta(seconds=settings["accounts.login_window_seconds"])
    db.execute(delete_of(LoginFailure).where(LoginFailure.failed_at <= now - window))
    db.execute(insert(LoginFailure).values(account=key.account, address=key.address, failed_at=now))


def record_success(db: Session, key: AttemptKey, user_id: int, now: datetime) -> None:
    """Count a success, forget the user's own failures, and remember the address as theirs."""
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
