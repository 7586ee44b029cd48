"""The same request twice is done once, and answered twice.

The key is written before the work and the answer after it, in the transaction of the work. So there
is no key of work that was not done, and no two can have one key: who comes second waits at the
unique key (PostgreSQL), or for the turn to write (SQLite), until the first one's answer is there.
"""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ..db.statements import delete_of, update_of
from ..errors import IdempotencyKeyReused
from ..models import IdempotencyKey


class ClientKey(NamedTuple):
    """What a client calls a request. The same key of another user is another key."""

    user_id: int
    key: str


class StoredResponse(NamedTuple):
    """What a request was answered."""

    status: int
    location: str | None
    body: str


def claim(
    db: Session, key: ClientKey, request_digest: str, now: datetime, ttl: timedelta
) -> StoredResponse | None:
    """Take a key for the request of this transaction; return the answer where it has one already.

    Raises IdempotencyKeyReused where the key is another request's.
    """
    dialect = db.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    values = {"request_digest": request_digest, "created_at": now}
    taken = db.execute(
        insert(IdempotencyKey)
        .values(**key._asdict(), **values)
        .on_conflict_do_update(
            index_elements=[IdempotencyKey.user_id, IdempotencyKey.key],
            set_={**values, "status": None, "location": None, "body": None},
            where=IdempotencyKey.created_at <= now - ttl,
        )
        .returning(IdempotencyKey.key)
    )
    if taken.first() is not None:
        return None
    return _stored_response(db.execute(_select_stored(key)).one(), request_digest)


def find(
    db: Connection, key: ClientKey, request_digest: str, now: datetime, ttl: timedelta
) -> StoredResponse | None:
    """Return the answer that a key has already, or None, without taking the key.

    Raises IdempotencyKeyReused where the key is another request's.
    """
    row = db.execute(_select_stored(key).where(IdempotencyKey.created_at > now - ttl)).one_or_none()
    return None if row is None else _stored_response(row, request_digest)


def _select_stored(key: ClientKey) -> Select[Any]:
    columns: tuple[Any, ...] = (
        IdempotencyKey.request_digest,
        IdempotencyKey.status,
        IdempotencyKey.location,
        IdempotencyKey.body,
    )
    return select(*columns).where(_has_key(key))


def _stored_response(row: Row[Any], request_digest: str) -> StoredResponse:
    if row.request_digest != request_digest:
        raise IdempotencyKeyReused("Idempotency-Key: this key was used for another request.")
    return StoredResponse(row.status, row.location, row.body)


def store_response(db: Session, key: ClientKey, answer: StoredResponse) -> None:
    """Keep the answer of a key that this transaction has taken."""
    db.execute(update_of(IdempotencyKey).where(_has_key(key)).values(**answer._asdict()))


def purge(db: Session, until: datetime) -> None:
    """Remove the keys that were taken until then."""
    db.execute(delete_of(IdempotencyKey).where(IdempotencyKey.created_at <= until))


def _has_key(key: ClientKey) -> ColumnElement[bool]:
    return and_(IdempotencyKey.user_id == key.user_id, IdempotencyKey.key == key.key)
