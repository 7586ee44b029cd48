"""Which accounts write from the same network, by hashes of networks that are kept for some days."""

import hmac
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any

from sqlalchemy import Insert, Select, bindparam, func, select
from sqlalchemy.orm import Session, aliased

from ...db.execution import ReadConnection, row
from ...db.expired_rows import ExpiredRows
from ...db.statements import delete_of, execute, insert_of
from ...models import PostNetwork
from .values import SUBSCRIBER, parse_address

_PREFIXES = {4: 24, 6: SUBSCRIBER}


def remember(db: Session, secret: str, user_id: int, address: str, now: datetime) -> None:
    """Keep a hash of the network from which a user has just written.

    secret: `session.secret`; address: the client's; nothing is kept of what is no IP address.
    """
    hashed = _hash(secret, address)
    if hashed is not None:
        values = {"user_id": user_id, "network": hashed, "last_post_at": now}
        execute(db, _insert(db.get_bind().dialect.name), values)


@cache
def _insert(dialect: str) -> Insert:
    names = ("user_id", "network", "last_post_at")
    statement = insert_of(PostNetwork, dialect).values({name: bindparam(name) for name in names})
    return statement.on_conflict_do_update(
        index_elements=[PostNetwork.user_id, PostNetwork.network],
        set_={"last_post_at": statement.excluded.last_post_at},
    )


def _hash(secret: str, address: str) -> str | None:
    parsed = parse_address(address)
    if parsed is None:
        return None
    version, number = parsed
    bits = {4: 32, 6: 128}[version]
    prefix = _PREFIXES[version]
    network = f"{version} {number >> (bits - prefix)}/{prefix}"
    return hmac.new(secret.encode(), f"post network {network}".encode(), sha256).hexdigest()


@cache
def _others() -> Select[Any]:
    other = aliased(PostNetwork)
    return (
        select(func.count(other.user_id.distinct()).label("others"))
        .select_from(PostNetwork)
        .join(other, other.network == PostNetwork.network)
        .where(PostNetwork.user_id == bindparam("user_id"), other.user_id != PostNetwork.user_id)
    )


def count_others(db: ReadConnection, user_id: int) -> int:
    """Return how many other accounts wrote from a network from which this user wrote."""
    result = row(db, _others(), {"user_id": user_id})
    assert result is not None, "a count is always there"  # noqa: S101
    others: int = result.others
    return others


def forget(db: Session, user_id: int) -> None:
    db.execute(delete_of(PostNetwork).where(PostNetwork.user_id == user_id))


def expired(keep: timedelta | None) -> ExpiredRows:
    """Return the networks from which nobody has written for so long; None: all of them."""
    age = timedelta() if keep is None else keep
    return ExpiredRows(PostNetwork, lambda now: [PostNetwork.last_post_at <= now - age])
