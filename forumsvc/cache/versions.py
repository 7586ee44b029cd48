"""Reading the marks: whether what was shown before is true still, by one small SELECT."""

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, cast, func, select

from ..db.execution import ReadConnection, row
from ..models import ChangeMark, Topic


def _sum(column: Any) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)


def names() -> ColumnElement[int]:
    """Return the column of how users and nodes are called, to be read with what shows them."""
    return select(_sum(ChangeMark.names)).scalar_subquery().label("names")


def lists() -> ColumnElement[int]:
    """Return the column `lists_mark`, to be read with what comes before a list (`of_lists`)."""
    return select(_mark_of_lists()).scalar_subquery().label("lists_mark")


def _mark_of_lists() -> ColumnElement[int]:
    return _sum(ChangeMark.lists + ChangeMark.names)


@cache
def _lists() -> Select[Any]:
    return select(_mark_of_lists().label("mark"))


def of_lists(db: ReadConnection) -> int:
    """Return the mark of everything that lists of topics and of nodes show."""
    found = row(db, _lists(), {})
    assert found is not None, "a sum is always there"  # noqa: S101
    mark: int = found.mark
    return mark


@cache
def _topic() -> Select[Any]:
    columns: tuple[Any, ...] = (Topic.version, Topic.hits, names())
    return select(*columns).where(Topic.id == bindparam("id"))


def of_topic(db: ReadConnection, topic_id: int) -> Any | None:
    """Return a topic's `version`, `names` and `hits`, or None where there is no such topic.

    Version and names are the mark of all that the topic and its replies show but the hits.
    """
    return row(db, _topic(), {"id": topic_id})
