"""Reading events exactly once: the position moves in the transaction of what is made of them."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..db.statements import insert_or_ignore, update_of
from ..models import Event, EventPosition
from ..queries import events
from ..queries.events import Position
from ..queries.rows import EventRow

log = logging.getLogger(__name__)

BATCH_SIZE = 500
"""Events per transaction; on SQLite all other writers wait for it."""

Handler = Callable[[Session, Sequence[EventRow]], None]
"""Handles events in the transaction that moves the position."""


def consume(
    db: Session, consumer: str, handle: Handler, now: datetime, limit: int = BATCH_SIZE
) -> int:
    """Handle the next events of a consumer, and move its position; return how many there were.

    Two processes that call it at once work one after the other. Nothing else may be done in the
    transaction.
    """
    dialect = db.get_bind().dialect.name
    position = lock_position(db, consumer, now)
    # After a restore from a dump the database numbers its transactions anew.
    if dialect == "postgresql" and events.horizon(db) < position.xid:
        position = _restart(db, now)
    found = events.after(db, dialect, position, limit)
    if found:
        handle(db, found)
        last = found[-1]
        _move(db, consumer, Position(last.xid, last.id), now)
    return len(found)


def lock_position(db: Session, consumer: str, now: datetime) -> Position:
    """Return how far a consumer has read, and lock that until the transaction ends."""
    insert_or_ignore(db, EventPosition, consumer=consumer, xid=0, id=0, updated_at=now)
    here = EventPosition.consumer == consumer
    locked = select(EventPosition.xid, EventPosition.id).where(here).with_for_update()
    return Position(*db.execute(locked).one())


def _move(db: Session, consumer: str, position: Position, now: datetime) -> None:
    here = EventPosition.consumer == consumer
    db.execute(update_of(EventPosition).where(here).values(**position._asdict(), updated_at=now))


def _restart(db: Session, now: datetime) -> Position:
    """Put all stored events before all new ones, and every consumer behind them."""
    newest = db.scalar(select(func.max(Event.id))) or 0
    log.warning("The database was restored from a dump: events up to %d count as handled", newest)
    db.execute(update_of(Event).values(xid=0))
    db.execute(update_of(EventPosition).values(xid=0, id=newest, updated_at=now))
    return Position(0, newest)
