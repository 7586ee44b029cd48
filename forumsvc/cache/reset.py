"""Ending every cached page and ETag after rows were changed past the service, by SQL.

What the service itself changes needs none of this: it renews the marks in its transactions.
"""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from ..db.engine import Database
from ..db.statements import with_row_locks
from ..errors import NotFound
from ..ids import MAX_ID
from ..models import Topic
from ..models.cache_version import fresh_mark
from .invalidation import LISTS, NAMES, change_unmarked, note

_CHUNK = 1_000
"""The most topics of one transaction: whoever writes to one of them waits for it."""


def renew_topic(db: Session, topic_id: int) -> None:
    """Give a topic another version, and end all cached lists: nothing old of it is shown.

    Its replies are under its version too. Raises NotFound where there is no such topic.
    """
    renewed = change_unmarked(Topic).where(Topic.id == topic_id).values(version=fresh_mark())
    if not 0 < topic_id <= MAX_ID or db.scalar(renewed.returning(Topic.id)) is None:
        raise NotFound(f"There is no topic {topic_id}.")
    note(db, LISTS)


def renew_everything(database: Database, *, done: Callable[[int], None] = lambda n: None) -> int:
    """End all cached pages, and give each topic another version; return how many topics.

    The pages end with the first, short transaction. The versions follow in chunks, so that an
    `If-Match` with the tag of a topic as it was before is refused.
    done: called with the number of topics after each chunk.
    """
    with database.session.begin() as db:
        note(db, LISTS)
        note(db, NAMES)
    renewed, last_id = 0, 0
    while True:
        with database.session.begin() as db:
            # In the order of ids, in which all who lock several topics lock them.
            ids: Sequence[int] = db.scalars(_following(last_id)).all()
            if not ids:
                return renewed
            # The id is added because the tags of two topics must differ.
            renewal = change_unmarked(Topic).where(Topic.id.between(ids[0], ids[-1]))
            db.execute(renewal.values(version=fresh_mark() + Topic.id))
        last_id = ids[-1]
        renewed += len(ids)
        done(len(ids))


def _following(last_id: int) -> Select[Any]:
    ids = select(Topic.id).where(Topic.id > last_id).order_by(Topic.id).limit(_CHUNK)
    return with_row_locks(ids, Topic)
