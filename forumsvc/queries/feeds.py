"""What feeds and sitemaps show besides the lists of topics."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, bindparam, func, select

from ..db.execution import ReadConnection, rows
from ..models import Topic
from .topics import VISIBLE

_BODIES: Any = select(
    Topic.id, func.substr(Topic.body_html, 1, bindparam("length")).label("body_html")
).where(Topic.id.in_(bindparam("ids", expanding=True)))


def bodies(db: ReadConnection, ids: Sequence[int], length: int) -> dict[int, str]:
    """Return the first `length` characters of the HTML of topics, by their ids."""
    if not ids:
        return {}
    result = rows(db, _BODIES, {"ids": ids, "length": length})
    return {row.id: row.body_html for row in result}


_NEWEST: Any = select(func.max(Topic.id).label("id"))


def newest_topic_id(db: ReadConnection) -> int:
    """Return the largest id of a topic, 0 if there is none."""
    newest: int | None = rows(db, _NEWEST, {})[0].id
    return newest or 0


_VISIBLE_BETWEEN: Any = (
    select(Topic.id, Topic.replied_at, Topic.updated_at)
    .where(Topic.id.between(bindparam("first"), bindparam("last")), *VISIBLE)
    .order_by(Topic.id)
)


def visible_between(db: ReadConnection, first: int, last: int) -> Sequence[Row[Any]]:
    """Return the topics that everybody may see with ids from `first` to `last`, by id.

    The rows: id, replied_at (None without a reply), updated_at.
    """
    return rows(db, _VISIBLE_BETWEEN, {"first": first, "last": last})
