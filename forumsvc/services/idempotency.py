"""A repeated request is executed once, and its response is replayed.

The key is stored before the work and the response after it, in the transaction of the work. So a
key without its work does not exist, and two requests cannot have one key: the second waits at the
unique constraint (PostgreSQL) or for the write lock (SQLite) until the response of the first is
stored.
"""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, select
from sqlalchemy.orm import Session

from ..db.expired_rows import ExpiredRows
from ..db.statements import insert_of, update_of
from ..errors import IdempotencyKeyReused
from ..models import IdempotencyKey


class ClientKey(NamedTuple):
    """An idempotency key of a user. The same key of another user is another key."""

    user_id: int
    key: str


class StoredResponse(NamedTuple):
    """The response to a request, as it is stored."""

    status: int
    location: str | None
    etag: str | None
    body: str


def claim(
    db: Session, key: ClientKey, request_digest: str, now: datetime, ttl: timedelta
) -> StoredResponse | None:
    """Claim a key for the request of this transaction, or return the response stored for it.

    Raises IdempotencyKeyReused if the key belongs to another request.
    """
    dialect = db.get_bind().dialect.name
    values = {"request_digest": request_digest, "created_at": now}
    claimed = db.execute(
        insert_of(IdempotencyKey, dialect)
        .values(**key._asdict(), **values)
        .on_conflict_do_update(
            index_elements=[IdempotencyKey.user_id, IdempotencyKey.key],
            set_={**values, "status": None, "location": None, "etag": None, "body": None},
            where=IdempotencyKey.created_at <= now - ttl,
        )
        .returning(IdempotencyKey.key)
    )
    if claimed.first() is not None:
        return None
    return _stored_response(db.execute(_select_stored(key)).one(), request_digest)


def find(
    db: Connection, key: ClientKey, request_digest: str, now: datetime, ttl: timedelta
) -> StoredResponse | None:
    """Return the response stored for a key, or None, without claiming the key.

    Raises IdempotencyKeyReused if the key belongs to another request.
    """
    row = db.execute(_select_stored(key).where(IdempotencyKey.created_at > now - ttl)).one_or_none()
    return None if row is None else _stored_response(row, request_digest)


def _select_stored(key: ClientKey) -> Select[Any]:
    columns: tuple[Any, ...] = (
        IdempotencyKey.request_digest,
        IdempotencyKey.status,
        IdempotencyKey.location,
        IdempotencyKey.etag,
        IdempotencyKey.body,
    )
    return select(*columns).where(_has_key(key))


def _stored_response(row: Row[Any], request_digest: str) -> StoredResponse:
    if row.request_digest != request_digest:
        raise IdempotencyKeyReused("Idempotency-Key: this key was used for another request.")
    return StoredResponse(row.status, row.location, row.etag, row.body)


def store_response(db: Session, key: ClientKey, response: StoredResponse) -> None:
    """Store the response for a key that this transaction has claimed."""
    db.execute(update_of(IdempotencyKey).where(_has_key(key)).values(**response._asdict()))


def expired(ttl: timedelta) -> ExpiredRows:
    """Return the keys that may be deleted. ttl: how long a response is kept."""
    return ExpiredRows(IdempotencyKey, lambda now: [IdempotencyKey.created_at <= now - ttl])


def _has_key(key: ClientKey) -> ColumnElement[bool]:
    return and_(IdempotencyKey.user_id == key.user_id, IdempotencyKey.key == key.key)
