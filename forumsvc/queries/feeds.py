"""What feeds and sitemaps show besides the lists of topics."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Row, Select, bindparam, func, select

from ..db.execution import ReadConnection, rows
from ..models import Topic
from .topics import VISIBLE


@cache
def _bodies() -> Select[Any]:
    beginning = func.substr(Topic.body_html, 1, bindparam("length")).label("body_html")
    columns: list[Any] = [Topic.id, beginning]
    return select(*columns).where(Topic.id.in_(bindparam("ids", expanding=True)))


def bodies(db: ReadConnection, ids: Sequence[int], length: int) -> dict[int, str]:
    """Return the first `length` characters of the HTML of topics, by their ids."""
    if not ids:
        return {}
    found = rows(db, _bodies(), {"ids": ids, "length": length})
    return {row.id: row.body_html for row in found}


@cache
def _newest() -> Select[Any]:
    return select(func.max(Topic.id).label("id"))


def newest_topic_id(db: ReadConnection) -> int:
    """Return the largest id of a topic, 0 if there is none."""
    newest: int | None = rows(db, _newest(), {})[0].id
    return newest or 0


@cache
def _visible_between() -> Select[Any]:
    columns: list[Any] = [Topic.id, Topic.replied_at, Topic.updated_at]
    between = Topic.id.between(bindparam("first"), bindparam("last"))
    return select(*columns).where(between, *VISIBLE).order_by(Topic.id)


def visible_between(db: ReadConnection, first: int, last: int) -> Sequence[Row[Any]]:
    """Return the topics that everybody may see with ids from `first` to `last`, by id.

    The rows: id, replied_at (None without a reply), updated_at.
    """
    return rows(db, _visible_between(), {"first": first, "last": last})
