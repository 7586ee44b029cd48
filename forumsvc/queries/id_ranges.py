"""The ranges of ids in which a table has rows.

Ids may have gaps of any size: a loaded dump has those of another forum. So nothing goes from 1 to
the newest id step by step.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, select

from ..db.base import Base, BigId
from ..db.execution import ReadConnection, rows
from ..text.ids import MAX_ID


def id_ranges(db: ReadConnection, model: type[Base], size: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last id of each range that has rows, in order.

    Range n has the ids from (n - 1) * size + 1 to n * size. One SELECT by the primary key for each.
    """
    last = 0
    while last < MAX_ID:
        result: int | None = rows(db, _next(model), {"first": last + 1})[0].id
        if result is None:
            return
        start = (result - 1) // size * size
        last = min(start + size, MAX_ID)
        yield start + 1, last


@cache
def _next(model: Any) -> Select[Any]:
    first = bindparam("first", type_=BigId)
    return select(func.min(model.id).label("id")).where(model.id >= first)
