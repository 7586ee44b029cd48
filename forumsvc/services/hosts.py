"""The hosts that serve the forum: each writes down what it is like.

Times are those of the database, the one clock that all hosts share.
"""

import hashlib
import hmac
import secrets
import socket
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Row, bindparam, select
from sqlalchemy.orm import Session

from ..db.execution import ReadConnection, rows
from ..db.expired_rows import ExpiredRows
from ..db.statements import database_time, insert_of
from ..models import Host

INTERVAL_SECONDS = 60.0
"""How often a host writes itself down."""
ALIVE = timedelta(minutes=3)
"""A host that was not seen for longer is stopped."""
_KEPT = timedelta(days=1)
_SHARED = ("site.url", "photos.storage", "photos.s3_bucket", "search.open_to", "api.envelope")
_KINDS = ("rate_limit.storage",)
"""Of these only the scheme is stored: the rest may be a password, and may differ."""


class Facts(NamedTuple):
    """What a host is like. build: a digest of its code and settings."""

    name: str
    version: str
    build: str
    settings: dict[str, str]


def facts(settings: Mapping[str, Any], ini_dir: Path, build: bytes) -> Facts:
    """Return what this host is like. ini_dir: the folder of the ini file."""
    shared = {name: str(settings[name]) for name in _SHARED}
    kinds = {name: str(settings[name]).partition("://")[0] for name in _KINDS}
    name = f"{socket.gethostname()}:{ini_dir.resolve()}"[: Host.name.type.length]
    return Facts(name, version("forumsvc"), build.hex(), {**shared, **kinds})


def clock_offset(db: ReadConnection) -> int:
    """Return the milliseconds by which this machine's clock is ahead of the database's.

    It is right to half the time that the statement takes.
    """
    before = time.time()
    [row] = rows(db, _SELECT_TIME, {})
    return round((before + time.time()) * 500 - row.now)


_SELECT_TIME: Any = select(database_time().label("now"))


def report(db: Session, host: Facts, secret: str, offset: int, *, is_start: bool) -> None:
    """Write down this host.

    secret: `session.secret`; offset: of `clock_offset`; is_start: whether the worker has begun now.
    """
    salt = secrets.token_hex(16)
    values = {
        **host._asdict(),
        "salt": salt,
        "secret_digest": _digest(secret, salt),
        "clock_offset": offset,
        "started_at": database_time(),
        "seen_at": database_time(),
    }
    insert = insert_of(Host, db.get_bind().dialect.name).values(values)
    unchanged = {"name"} if is_start else {"name", "started_at"}
    changed = {name: insert.excluded[name] for name in values if name not in unchanged}
    db.execute(insert.on_conflict_do_update(index_elements=[Host.name], set_=changed))


def alive(db: ReadConnection) -> Sequence[Row[Any]]:
    """Return the hosts that were seen within `ALIVE`, by name."""
    return rows(db, _SELECT_ALIVE, {"milliseconds": _milliseconds(ALIVE)})


_SELECT_ALIVE: Any = (
    select(
        *(Host.name, Host.clock_offset, Host.salt, Host.secret_digest),
        *(Host.version, Host.build, Host.settings),
    )
    .where(Host.seen_at > database_time() - bindparam("milliseconds", type_=BigInteger))
    .order_by(Host.name)
)


def has_secret(host: Any, secret: str) -> bool:
    """Return whether a row of `alive` has this `session.secret`."""
    return hmac.compare_digest(host.secret_digest, _digest(secret, host.salt))


def expired() -> ExpiredRows:
    """Return the hosts that may be deleted: not seen for a day."""
    return ExpiredRows(Host, lambda now: [Host.seen_at < database_time() - _milliseconds(_KEPT)])


def _digest(secret: str, salt: str) -> str:
    return hmac.new(secret.encode(), f"host {salt}".encode(), hashlib.sha256).hexdigest()


def _milliseconds(length: timedelta) -> int:
    return round(length.total_seconds() * 1000)
