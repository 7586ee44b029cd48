"""Giving people places in what they wrote, answered or followed before there were places.

All that was written up to the upgrade, or up to the load of a dump, counts as read. A job reads the
three tables by their ids, so a batch is of the same size whatever a topic or a person has.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Insert, Select, bindparam, func, select
from sqlalchemy.orm import Session

from ...db.base import BigId
from ...db.statements import insert_of
from ...models import JobKind, Reply, Topic, TopicFollow, TopicRead
from ...queries.user_locks import lock_present
from .. import jobs
from . import reading

_BATCH = 200
"""Topics, replies or follows whose people get places in one transaction."""

_SOURCES: dict[str, tuple[Any, Any]] = {
    "topics": (Topic, Topic.id),
    "replies": (Reply, Reply.topic_id),
    "topic_follows": (TopicFollow, TopicFollow.topic_id),
}
"""By the word in the job's data: who has a place, and the column of the topic."""


def enqueue(db: Session, now: datetime) -> None:
    """Have places made for all that is in the database, up to the newest reply of now."""
    begin = {"last_reply_id": reading.newest_reply_id(db), "source": "topics", "last_id": 0}
    jobs.enqueue(db, JobKind.PLACES, now, begin)


def run_batch(db: Session, job: jobs.Claimed, now: datetime) -> None:
    """Make the next places, and move or finish the job. A place that is there stays as it is."""
    if not jobs.hold(db, job):
        return
    position = dict(job.data)
    source = position["source"]
    rows = db.execute(_next(source), {"last_id": position["last_id"], "limit": _BATCH}).all()
    if rows:
        _insert(db, {(row.user_id, row.topic_id) for row in rows}, position["last_reply_id"])
        position["last_id"] = rows[-1].id
    else:
        left = [*_SOURCES][[*_SOURCES].index(source) + 1 :]
        if not left:
            jobs.finish(db, job, now)
            return
        position |= {"source": left[0], "last_id": 0}
    jobs.save_progress(db, job, position, due_at=now)


def _insert(db: Session, pairs: set[tuple[int, int]], last_reply_id: int) -> None:
    # A deleted user has no places, and may have been erased already.
    present = lock_present(db, {user_id for user_id, _ in pairs})
    places: Sequence[dict[str, Any]] = [
        {"user_id": user_id, "topic_id": topic_id, "until": last_reply_id}
        for user_id, topic_id in sorted(pairs)
        if user_id in present
    ]
    if places:
        db.execute(_insert_place(db.get_bind().dialect.name), places)


@cache
def _next(source: str) -> Select[Any]:
    model, topic_id = _SOURCES[source]
    return (
        select(model.id, model.user_id, topic_id.label("topic_id"))
        .where(model.id > bindparam("last_id", type_=BigId))
        .order_by(model.id)
        .limit(bindparam("limit"))
    )


@cache
def _insert_place(dialect: str) -> Insert:
    user_id, topic_id, until = (
        bindparam(name, type_=BigId) for name in ("user_id", "topic_id", "until")
    )
    read = select(func.max(Reply.id)).where(Reply.topic_id == topic_id, Reply.id <= until)
    place = {"last_reply_id": func.coalesce(read.scalar_subquery(), 0)}
    statement = insert_of(TopicRead, dialect).values(user_id=user_id, topic_id=topic_id, **place)
    return statement.on_conflict_do_nothing()
