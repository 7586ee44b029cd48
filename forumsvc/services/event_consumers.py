"""Reading events exactly once: the position moves in the transaction of what is made of them."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, exists, func, select
from sqlalchemy import tuple_ as row_of
from sqlalchemy.orm import Session

from ..db.base import UtcDateTime
from ..db.execution import ReadConnection, SqlConnection, row
from ..db.statements import insert_or_ignore, update_of
from ..models import Event, EventPosition, Job, JobKind
from ..queries import events
from ..queries.events import Position
from ..queries.rows import EventRow
from . import jobs

log = logging.getLogger(__name__)

BATCH_SIZE = 500
"""Events per transaction; on SQLite all other writers wait for it."""

LOCK = timedelta(seconds=30)
"""How long a process has the job of a consumer without renewing it."""
_TAKEOVER = timedelta(seconds=5)

Handler = Callable[[Session, Sequence[EventRow]], None]
"""Handles events in the transaction that moves the position."""


def consume(
    db: Session, consumer: str, handle: Handler, now: datetime, limit: int = BATCH_SIZE
) -> int:
    """Handle the next events of a consumer, and move its position; return how many there were.

    Two processes that call it at once work one after the other. Nothing else may be done in the
    transaction.
    """
    position, batch = next_events(db, consumer, now, limit)
    finish(db, consumer, handle, now, position, batch)
    return len(batch)


def next_events(
    db: Session, consumer: str, now: datetime, limit: int
) -> tuple[Position, Sequence[EventRow]]:
    """Return how far a consumer has read, locked as by `lock_position`, and its next events."""
    dialect = db.get_bind().dialect.name
    position = lock_position(db, consumer, now)
    # After a restore from a dump the database numbers its transactions anew.
    if dialect == "postgresql" and events.horizon(db) < position.xid:
        _restart(db, now)
        position = lock_position(db, consumer, now)
    return position, events.after(db, dialect, position, limit)


def finish(
    db: Session,
    consumer: str,
    handle: Handler,
    now: datetime,
    position: Position,
    batch: Sequence[EventRow],
) -> None:
    """Handle events of `next_events`, and move the position; nothing if another process did."""
    if not batch or lock_position(db, consumer, now) != position:
        return
    handle(db, batch)
    last = batch[-1]
    _move(db, consumer, Position(last.xid, last.id), now)


def put_aside(db: Session, consumer: str, now: datetime, error: str) -> int:
    """Put the next event of a consumer aside, and move its position; return the event's id.

    error: why it cannot be handled.
    """
    _, [event] = next_events(db, consumer, now, 1)
    jobs.enqueue_failed(db, JobKind.EVENT, now, {"event_id": event.id}, consumer, error)
    _move(db, consumer, Position(event.xid, event.id), now)
    return event.id


def lock_position(db: Session, consumer: str, now: datetime) -> Position:
    """Return how far a consumer has read, and lock that until the transaction ends."""
    insert_or_ignore(db, EventPosition, consumer=consumer, xid=0, id=0, updated_at=now)
    of_consumer = EventPosition.consumer == consumer
    locked = select(EventPosition.xid, EventPosition.id).where(of_consumer).with_for_update()
    return Position(*db.execute(locked).one())


def _move(db: Session, consumer: str, position: Position, now: datetime) -> None:
    of_consumer = EventPosition.consumer == consumer
    db.execute(
        update_of(EventPosition).where(of_consumer).values(**position._asdict(), updated_at=now)
    )


def _restart(db: Session, now: datetime) -> None:
    """Put all stored events before all new ones, in the order of their ids.

    Each consumer goes on at its first unread event. A few that it has handled may come again.
    """
    positions: list[Any] = [EventPosition.consumer, EventPosition.xid, EventPosition.id]
    read_up_to = {}
    for consumer, *position in db.execute(select(*positions).with_for_update()):
        is_unread = row_of(Event.xid, Event.id) > row_of(*position)
        first = db.scalar(select(func.min(Event.id)).where(is_unread))
        # What was written since the restore has higher ids, and numbers that say nothing.
        read_up_to[consumer] = position[1] if first is None else min(position[1], first - 1)
    db.execute(update_of(Event).values(xid=0))
    for consumer, last_id in read_up_to.items():
        log.warning(
            "The database was restored from a dump: %s goes on behind event %d", consumer, last_id
        )
        _move(db, consumer, Position(0, last_id), now)


def is_anybody_alive(db: ReadConnection, now: datetime) -> bool:
    """Return whether a background worker of any host is alive, or was a moment ago.

    After a clean end another takes its jobs over within that time; of one that was killed, the
    locks count until they end.
    """
    times = {"after": now - _TAKEOVER, "before": _last_end(now)}
    result = row(db, _SELECT_ALIVE, times)
    return result is not None and bool(result.is_alive)


# One that has failed has no lock while it pauses.
_UNTIL: Any = func.coalesce(Job.locked_until, Job.due_at)
_SELECT_ALIVE: Any = select(
    exists()
    .where(
        Job.kind == JobKind.CONSUME,
        _UNTIL.between(
            bindparam("after", type_=UtcDateTime), bindparam("before", type_=UtcDateTime)
        ),
    )
    .label("is_alive")
)


def processes(db: SqlConnection, now: datetime) -> list[str]:
    """Return the hosts and process ids of those that are alive, or were killed just now."""
    is_held = Job.locked_until.between(now, _last_end(now))
    held = select(Job.data).where(Job.kind == JobKind.CONSUME, is_held)
    return sorted({str(data.get("process", "?")) for data in db.scalars(held)})


def _last_end(now: datetime) -> datetime:
    # A lock that ends later was made by a clock that has been set back since.
    return now + LOCK + jobs.CLOCKS_APART
