"""Cutting a page out of a list: by how many rows to pass over, or beside a row.

A cursor names that row by its key in the list's order. The page beside it is a search of the
order's index, as cheap at any depth, and stays where it is while rows come and go.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
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
from ..ids import MAX_ID
from .base import UtcDateTime
from .compiled_statement import Query
from .cursors import Cursor
from .execution import ReadConnection, is_sqlite, rows

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DEEP = 1000


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which part of a list is wanted: `limit` rows after the first `offset`.

    after: count from behind that place; before: count backwards from before it. Raises Invalid
    where both are given.
    """

    offset: int = 0
    limit: int = 20
    before: Cursor | None = None
    after: Cursor | None = None

    def __post_init__(self) -> None:
        """Refuse what is no part of a list."""
        if self.before is not None and self.after is not None:
            raise Invalid("before", "cannot be given together with after")


class Anchor(Enum):
    """From where a page is cut."""

    BEGINNING = "offset"
    AFTER = "after"
    BEFORE = "before"


class SortOrder:
    """The order of a list, in which no two rows are equal.

    name: what its cursors are marked with; columns: by the names under which the rows show them.
    """

    def __init__(self, name: str, *, ascending: bool = False, **columns: Any) -> None:
        """Take the columns, all of which fall, or else rise; the last one is unique."""
        self.name = name
        self.ascending = ascending
        self.columns: dict[str, Any] = columns

    @property
    def keys(self) -> list[ColumnElement[Any]]:
        """The columns under their names, for a SELECT that is cut."""
        return [column.label(name) for name, column in self.columns.items()]

    def cursor(self, row: Row[Any]) -> Cursor:
        """Return the place of a row."""
        return Cursor(self.name, tuple(_number(getattr(row, name)) for name in self.columns))

    def values(self, cursor: Cursor, parameter: str) -> dict[str, Any]:
        """Return the values of `Cut`'s parameters for a place.

        parameter: what brought the cursor. Raises Invalid where it is none of this order.
        """
        if cursor.order == self.name and len(cursor.key) == len(self.columns):
            pairs = zip(cursor.key, self.columns.values(), strict=True)
            try:
                return {f"key_{place}": _value(*pair) for place, pair in enumerate(pairs)}
            except OverflowError:
                pass  # a moment outside the calendar
        raise Invalid(parameter, f"must be a cursor from a Link of this list, not '{cursor}'")


def _number(value: datetime | int) -> int:
    return (value - _EPOCH) // _MICROSECOND if isinstance(value, datetime) else value


def _value(number: int, column: Any) -> datetime | int:
    is_moment = isinstance(column.type, UtcDateTime)
    return _EPOCH + number * _MICROSECOND if is_moment else number


@dataclass(frozen=True, slots=True)
class KeysetPage:
    """How pages are cut out of a list.

    spelled_out: compare keys column by column (`_beside`); deep: so many rows are passed over that
    preparing for it pays.
    """

    order: SortOrder
    anchor: Anchor
    expanded_comparison: bool
    large_offset: bool = False

    def apply(self, statement: Select[Any]) -> Query:
        """Return the SELECT cut to a page. It shows the order's `keys` and has no order yet."""
        pieces = [statement.where(beside) for beside in self._keyset_conditions()] or [statement]
        whole: Any = pieces[0]
        columns: Any = self.order.columns
        if len(pieces) > 1:
            whole = union_all(*pieces)
            columns = whole.selected_columns
        return with_limit(whole.order_by(*self.order_by(columns))).offset(_literal("offset"))

    def order_by(self, columns: Any) -> list[ColumnElement[Any]]:
        """Return what to order by, from the place on. columns: the order's, by their names."""
        named = [columns[name] for name in self.order.columns]
        return [column.asc() if self._is_ascending else column.desc() for column in named]

    @property
    def _is_ascending(self) -> bool:
        return self.order.ascending != (self.anchor == Anchor.BEFORE)

    def _keyset_conditions(self) -> list[ColumnElement[bool]]:
        """Return the condition to lie beyond the place; or several, of which each row meets one.

        Comparing all columns as one row is a search of the index. SQLite leaves the id out of
        that search and passes over all rows that are equal but for it; told apart column by
        column it finds each part by the index, and merges them in their order.
        """
        if self.anchor == Anchor.BEGINNING:
            return []
        beyond = operator.gt if self._is_ascending else operator.lt
        columns = [*self.order.columns.values()]
        keys = [_key(place, column) for place, column in enumerate(columns)]
        if not self.expanded_comparison:
            return [beyond(tuple_(*columns), tuple_(*keys))]
        return [
            and_(
                *(column == key for column, key in zip(columns[:place], keys, strict=False)),
                beyond(columns[place], keys[place]),
            )
            for place in reversed(range(len(columns)))
        ]


def _key(place: int, column: Any) -> BindParameter[Any]:
    # A counter is compared as a large integer: no number of a cursor is out of range then.
    kind = column.type if isinstance(column.type, UtcDateTime) else BigInteger()
    return bindparam(f"key_{place}", type_=kind)


def _literal(name: str) -> BindParameter[int]:
    # In the text, not bound: PostgreSQL plans each statement once, for any parameters
    # (`force_generic_plan`), and a plan for an unknown LIMIT is one for a tenth of all rows.
    return bindparam(name, type_=Integer, literal_execute=True)


def with_limit(statement: Any) -> Any:
    """Return the SELECT cut to a `limit` that is given when it is run."""
    return statement.limit(_literal("limit"))


class Cursors(NamedTuple):
    """Where a list goes on: backwards before the one place, onwards after the other."""

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
) -> PageRows:
    """Return a page of the list that `build` makes, in one statement.

    build: returns, always the same for the same cut, the SELECT whose rows show the order's keys;
    values: of the parameters that it leaves open. Raises Invalid for a cursor of another list.
    """
    way, key = _place(page, order)
    # A row more than wanted tells whether there is more.
    part = {"offset": min(page.offset, MAX_ID), "limit": page.limit + 1}
    statement = build(KeysetPage(order, way, is_sqlite(db), large_offset=page.offset >= _DEEP))
    found = rows(db, statement, {**values, **key, **part})
    kept = found[: page.limit]
    goes_on, came_from = len(found) > page.limit, way != Anchor.BEGINNING or page.offset > 0
    if way == Anchor.BEFORE:
        return PageRows(kept[::-1], _cursors(order, kept[::-1], goes_on, came_from))
    return PageRows(kept, _cursors(order, kept, came_from, goes_on))


def _place(page: PageRequest, order: SortOrder) -> tuple[Anchor, dict[str, Any]]:
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
