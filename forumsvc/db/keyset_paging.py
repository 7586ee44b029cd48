"""Pages of lists, by offset or by keyset.

A cursor holds the sort key of a row. The page before or after it is found by a search of the
index of the sort order, which costs the same at any depth, and does not shift while rows are
inserted and deleted.
"""

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Integer,
    Row,
    Select,
    and_,
    bindparam,
    tuple_,
    union_all,
)

from ..errors import Invalid
from ..text.ids import MAX_ID
from .base import UtcDateTime
from .compiled_statement import Query
from .cursors import Cursor
from .execution import ReadConnection, is_sqlite, rows

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LARGE_OFFSET = 1000
"""From here on it pays to prepare a query for many skipped rows."""
MAX_TEXT = 1_000_000
"""Characters after which a page by cursor ends. By offset clients count what `limit` promises."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The requested part of a list: `limit` rows, `offset` rows after the start.

    after: start after this cursor; before: start before it and go backwards. Raises Invalid where
    both are given.
    """

    offset: int = 0
    limit: int = 20
    before: Cursor | None = None
    after: Cursor | None = None

    def __post_init__(self) -> None:
        if self.before is not None and self.after is not None:
            raise Invalid("before", "cannot be given together with after")


class Anchor(Enum):
    """Where a page starts."""

    BEGINNING = "offset"
    AFTER = "after"
    BEFORE = "before"


class SortOrder:
    """The sort order of a list, in which no two rows are equal.

    name: stands in its cursors; columns: the sort key, by the names of the columns in the rows.
    """

    def __init__(self, name: str, *, ascending: bool = False, **columns: Any) -> None:
        """Create an order: all columns descend, or all ascend; the last one is unique."""
        self.name = name
        self.ascending = ascending
        self.columns: dict[str, Any] = columns

    @property
    def keys(self) -> list[ColumnElement[Any]]:
        """The labelled columns of the sort key, for the SELECT of a list."""
        return [column.label(name) for name, column in self.columns.items()]

    def cursor(self, row: Row[Any]) -> Cursor:
        """Return the cursor of a row."""
        return Cursor(self.name, tuple(_number(getattr(row, name)) for name in self.columns))

    def end(self) -> Cursor:
        """Return the cursor behind the last row of an order of integers, such as ids.

        The page before it is the last one, however many rows the list has.
        """
        return Cursor(self.name, (MAX_ID if self.ascending else 0,) * len(self.columns))

    def values(self, cursor: Cursor, parameter: str) -> dict[str, Any]:
        """Return the values of the key parameters of `KeysetPage` for a cursor.

        parameter: the query parameter with the cursor. Raises Invalid for one of another order.
        """
        if cursor.order == self.name and len(cursor.key) == len(self.columns):
            pairs = zip(cursor.key, self.columns.values(), strict=True)
            try:
                return {f"key_{at}": _value(*pair) for at, pair in enumerate(pairs)}
            except OverflowError:
                pass  # a time outside the range of datetime
        raise Invalid(parameter, f"must be a cursor from a Link of this list, not '{cursor}'")


def _number(value: datetime | int) -> int:
    return (value - _EPOCH) // _MICROSECOND if isinstance(value, datetime) else value


def _value(number: int, column: Any) -> datetime | int:
    is_time = isinstance(column.type, UtcDateTime)
    return _EPOCH + number * _MICROSECOND if is_time else number


@dataclass(frozen=True, slots=True)
class KeysetPage:
    """How to select pages of a list.

    expanded_comparison: compare keys column by column (`_keyset_conditions`); large_offset: so
    many rows are skipped that preparing for it pays.
    """

    order: SortOrder
    anchor: Anchor
    expanded_comparison: bool
    large_offset: bool = False

    def apply(self, statement: Select[Any]) -> Query:
        """Return the SELECT of a page. statement: selects the order's `keys`, without ORDER BY."""
        parts = [statement.where(item) for item in self._keyset_conditions()] or [statement]
        query: Any = parts[0]
        columns: Any = self.order.columns
        if len(parts) > 1:
            query = union_all(*parts)
            columns = query.selected_columns
        return with_limit(query.order_by(*self.order_by(columns))).offset(_literal("offset"))

    def order_by(self, columns: Any) -> list[ColumnElement[Any]]:
        """Return the ORDER BY, from the anchor on. columns: of the sort key, by their names."""
        named = [columns[name] for name in self.order.columns]
        return [column.asc() if self._is_ascending else column.desc() for column in named]

    @property
    def _is_ascending(self) -> bool:
        return self.order.ascending != (self.anchor == Anchor.BEFORE)

    def _keyset_conditions(self) -> list[ColumnElement[bool]]:
        """Return the condition for rows beyond the cursor, or several that exclude each other.

        On PostgreSQL the comparison of all columns as one row is a search of the index. SQLite
        leaves the id out of that search and scans all rows that are equal but for the id; with one
        condition a column it finds each part by the index and merges the parts in their order.
        """
        if self.anchor == Anchor.BEGINNING:
            return []
        beyond = operator.gt if self._is_ascending else operator.lt
        columns = [*self.order.columns.values()]
        keys = [_key(at, column) for at, column in enumerate(columns)]
        if not self.expanded_comparison:
            return [beyond(tuple_(*columns), tuple_(*keys))]
        return [
            and_(
                *(column == key for column, key in zip(columns[:at], keys, strict=False)),
                beyond(columns[at], keys[at]),
            )
            for at in reversed(range(len(columns)))
        ]


def _key(at: int, column: Any) -> BindParameter[Any]:
    # A counter is compared as a BIGINT, so that no number of a cursor is out of range.
    kind = column.type if isinstance(column.type, UtcDateTime) else BigInteger()
    return bindparam(f"key_{at}", type_=kind)


def _literal(name: str) -> BindParameter[int]:
    # A literal in the text and no parameter: PostgreSQL plans each statement once, for any
    # parameters (`force_generic_plan`), and plans an unknown LIMIT for a tenth of all rows.
    return bindparam(name, type_=Integer, literal_execute=True)


def with_limit(statement: Any) -> Any:
    """Return the SELECT with a LIMIT, whose value `limit` is given at the execution."""
    return statement.limit(_literal("limit"))


class Cursors(NamedTuple):
    """The cursors of the previous and of the next page; None where there is none."""

    before: Cursor | None
    after: Cursor | None


class PageRows(NamedTuple):
    """A page of a list."""

    rows: Sequence[Row[Any]]
    cursors: Cursors


def load_page(
    db: ReadConnection,
    page: PageRequest,
    order: SortOrder,
    build: Callable[[KeysetPage], Query],
    values: Mapping[str, Any],
    texts: Collection[str] = (),
) -> PageRows:
    """Load a page of a list, in one SELECT.

    build: returns the SELECT, with the order's keys among its columns, and the same object for
    equal arguments; values: of its parameters; texts: the columns that may be long. A page by
    cursor has at least one row. Raises Invalid for a cursor of another list.
    """
    anchor, key = _anchor(page, order)
    # One row more than wanted shows whether there is another page.
    part = {"offset": min(page.offset, MAX_ID), "limit": page.limit + 1}
    statement = build(
        KeysetPage(order, anchor, is_sqlite(db), large_offset=page.offset >= _LARGE_OFFSET)
    )
    result = rows(db, statement, {**values, **key, **part})
    shown = result[: page.limit]
    if anchor != Anchor.BEGINNING and texts:
        shown = shown[: _fitting(shown, texts)]
    has_more = len(result) > len(shown)
    is_first = anchor == Anchor.BEGINNING and page.offset == 0
    if anchor == Anchor.BEFORE:
        is_last = page.before == order.end()
        return PageRows(shown[::-1], _cursors(order, shown[::-1], has_more, not is_last))
    return PageRows(shown, _cursors(order, shown, not is_first, has_more))


def load_around(
    db: ReadConnection,
    row_id: int,
    limit: int,
    order: SortOrder,
    build: Callable[[KeysetPage], Query],
    values: Mapping[str, Any],
    texts: Collection[str] = (),
) -> PageRows | None:
    """Load at most `limit` rows one after the other, among them the one with this id.

    It stands in the middle, or nearer to the end where too few come after it. Two SELECTs; the
    parameters are those of `load_page`, for an order by `id` alone. None: the list has no such row.
    """
    step = -1 if order.ascending else 1
    before_it = Cursor(order.name, (min(row_id + step, MAX_ID),))
    rest = load_page(
        db, PageRequest(limit=limit - limit // 2, after=before_it), order, build, values, texts
    )
    if not rest.rows or rest.rows[0].id != row_id:
        return None
    room = limit - len(rest.rows)
    # Without room for any, one shows whether there is something before.
    page = PageRequest(limit=max(room, 1), before=order.cursor(rest.rows[0]))
    start = load_page(db, page, order, build, values, texts)
    has_before = start.cursors.before is not None or (bool(start.rows) and not room)
    shown = [*(start.rows if room else ()), *rest.rows]
    return PageRows(shown, _cursors(order, shown, has_before, rest.cursors.after is not None))


def _fitting(shown: Sequence[Row[Any]], texts: Collection[str]) -> int:
    """Return how many rows a page has whose texts have at most MAX_TEXT characters, or one row."""
    size = 0
    for count, row in enumerate(shown):
        size += sum(len(getattr(row, name)) for name in texts)
        if size > MAX_TEXT and count:
            return count
    return len(shown)


def _anchor(page: PageRequest, order: SortOrder) -> tuple[Anchor, dict[str, Any]]:
    if page.after is not None:
        return Anchor.AFTER, order.values(page.after, "after")
    if page.before is not None:
        return Anchor.BEFORE, order.values(page.before, "before")
    return Anchor.BEGINNING, {}


def _cursors(order: SortOrder, shown: Sequence[Row[Any]], before: bool, after: bool) -> Cursors:
    return Cursors(
        order.cursor(shown[0]) if before and shown else None,
        order.cursor(shown[-1]) if after and shown else None,
    )
