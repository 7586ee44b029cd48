"""Reading events in the order in which their transactions became visible.

On PostgreSQL a transaction may insert a higher id and commit before another that inserted a lower
one. So a reader that remembers an id alone would miss the latter. Events are read in the order of
(transaction, id), and only those of transactions below the horizon: the oldest transaction that is
still running (`pg_snapshot_xmin`). All below it have ended, so no event can appear there later. A
long transaction holds the horizon back. SQLite has one writer at a time: ids are in commit order.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    bindparam,
    func,
    literal_column,
    select,
)
from sqlalchemy import tuple_ as row_of

from ..db.cursors import Cursor
from ..db.execution import ReadConnection, SqlConnection, is_sqlite, row, rows
from ..db.keyset_paging import Cursors
from ..errors import Invalid
from ..models import Event, EventPosition
from .rows import EventRow, columns

_AFTER_XID: Any = bindparam("after_xid", type_=BigInteger)
_AFTER_ID: Any = bindparam("after_id", type_=BigInteger)
_HORIZON: ColumnElement[int] = literal_column(
    "pg_snapshot_xmin(pg_current_snapshot())::text::bigint", BigInteger
)
_COLUMNS = columns(Event, EventRow)


_ORDER = "events"
"""The name of the list in its cursors."""


class Position(NamedTuple):
    """A place among the events: after this one. The beginning is (0, 0)."""

    xid: int
    id: int


def after(db: ReadConnection, dialect: str, position: Position, limit: int) -> Sequence[EventRow]:
    """Return the next events, at most `limit`, oldest first.

    dialect: the name of the database's.
    """
    values = {"after_xid": position.xid, "after_id": position.id, "most": limit}
    return rows(db, _select_after(dialect == "postgresql", has_type=False), values)


def page_of(
    db: ReadConnection, type_: str | None, after_: Cursor | None, limit: int
) -> tuple[Sequence[EventRow], Cursors]:
    """Return a page of events, oldest first, and the cursors of the pages around it.

    type_: only these; None: all; after_: where to go on. There is always a cursor of the next page,
    so that a client can ask later for what has happened since. Raises Invalid for a cursor of
    another list, and for one of before the database was restored from a dump.
    """
    position = _position(after_)
    has_horizon = not is_sqlite(db)
    values: dict[str, Any] = {"after_xid": position.xid, "after_id": position.id, "most": limit}
    looked_at = position
    if type_ is not None:
        values["type"] = type_
        # Read before the page: all up to there is visible to the statement of the page.
        newest = row(db, _select_newest(has_horizon), {})
        looked_at = position if newest is None else Position(newest.xid, newest.id)
    result = rows(db, _select_after(has_horizon, has_type=type_ is not None), values)
    if result:
        position = Position(result[-1].xid, result[-1].id)
    elif has_horizon and horizon(db) < position.xid:
        raise Invalid("after", "is of before the database was restored; begin without it")
    if len(result) < limit:
        # So that a client of a rare type does not have the same events read again each time.
        position = max(position, looked_at)
    return result, Cursors(None, Cursor(_ORDER, position))


def _position(cursor: Cursor | None) -> Position:
    if cursor is None:
        return Position(0, 0)
    if cursor.order != _ORDER or len(cursor.key) != len(Position._fields):
        raise Invalid("after", f"must be a cursor from a Link of this list, not '{cursor}'")
    return Position(*cursor.key)


@cache
def _select_after(has_horizon: bool, *, has_type: bool) -> Select[Any]:
    statement = select(*_COLUMNS).limit(bindparam("most", type_=Integer, literal_execute=True))
    if has_type:
        statement = statement.where(Event.type == bindparam("type"))
    if not has_horizon and not has_type:
        return statement.where(Event.id > _AFTER_ID).order_by(Event.id)
    # With a type on SQLite, too, whose numbers are all 0: it is the order of the index.
    after_position = row_of(Event.xid, Event.id) > row_of(_AFTER_XID, _AFTER_ID)
    statement = statement.where(after_position).order_by(Event.xid, Event.id)
    return statement.where(Event.xid < _HORIZON) if has_horizon else statement


@cache
def _select_newest(has_horizon: bool) -> Select[Any]:
    columns: list[Any] = [Event.xid, Event.id]
    statement = select(*columns).limit(1)
    if not has_horizon:
        return statement.order_by(Event.id.desc())
    return statement.where(Event.xid < _HORIZON).order_by(Event.xid.desc(), Event.id.desc())


def has_unread(db: ReadConnection, dialect: str, consumer: str) -> bool:
    """Return whether `services.event_consumers.consume` has something to do for a consumer."""
    position = position_of(db, consumer) or Position(0, 0)
    is_ahead = dialect == "postgresql" and horizon(db) < position.xid
    return is_ahead or bool(after(db, dialect, position, 1))


def horizon(db: ReadConnection) -> int:
    """Return the lowest transaction number that may still insert events (PostgreSQL only)."""
    [result] = rows(db, _SELECT_HORIZON, {})
    return int(result.horizon)


_SELECT_HORIZON: Any = select(_HORIZON.label("horizon"))
_SELECT_BY_IDS: Any = select(*_COLUMNS).where(Event.id.in_(bindparam("ids", expanding=True)))


def by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, EventRow]:
    """Return the events with these ids, by id."""
    result = rows(db, _SELECT_BY_IDS, {"ids": ids}) if ids else ()
    return {event.id: event for event in result}


def since(db: SqlConnection, after_id: int, type_: str | None, limit: int) -> Sequence[EventRow]:
    """Return the events with higher ids, lowest first, also those above the horizon.

    type_: only these; None: all.
    """
    query = select(*_COLUMNS).where(Event.id > after_id).order_by(Event.id).limit(limit)
    return db.execute(query if type_ is None else query.where(Event.type == type_)).all()


class EventSummary(NamedTuple):
    """The events that are kept: their number, the time of the oldest, and the id of the newest."""

    number: int
    oldest_at: datetime | None
    newest_id: int | None


def summary(db: SqlConnection) -> EventSummary:
    """Return how many events are stored, and the time of the first and the id of the last."""
    columns = (func.count(), func.min(Event.created_at), func.max(Event.id))
    return EventSummary(*db.execute(select(*columns)).one())


def lags(db: SqlConnection) -> Sequence[Any]:
    """Return how far each consumer is behind, by name.

    Rows of consumer, updated_at, unread (a number), oldest_at (the time of the oldest unread one).
    """
    is_unread = row_of(Event.xid, Event.id) > row_of(EventPosition.xid, EventPosition.id)
    unread, oldest_at = func.count(Event.id), func.min(Event.created_at)
    columns = (EventPosition.consumer, EventPosition.updated_at)
    return db.execute(
        select(*columns, unread.label("unread"), oldest_at.label("oldest_at"))
        .outerjoin(Event, is_unread)
        .group_by(*columns)
        .order_by(EventPosition.consumer)
    ).all()


_SELECT_OLDEST_UNREAD: Any = (
    select(Event.created_at)
    .where(row_of(Event.xid, Event.id) > row_of(_AFTER_XID, _AFTER_ID))
    .order_by(Event.xid, Event.id)
    .limit(1)
)


def oldest_unread_at(db: ReadConnection, consumer: str) -> datetime | None:
    """Return the time of the next event of a consumer, also above the horizon; None without one."""
    position = position_of(db, consumer) or Position(0, 0)
    values = {"after_xid": position.xid, "after_id": position.id}
    result = row(db, _SELECT_OLDEST_UNREAD, values)
    return None if result is None else result.created_at


def position_of(db: ReadConnection, consumer: str) -> Position | None:
    """Return how far a consumer has read, or None if it never did."""
    result = row(db, _SELECT_POSITION, {"consumer": consumer})
    return None if result is None else Position(result.xid, result.id)


_SELECT_POSITION: Any = select(EventPosition.xid, EventPosition.id).where(
    EventPosition.consumer == bindparam("consumer")
)
