"""Invalidates cached pages and ETags after rows were changed by SQL, outside the service.

The service's own changes do not need this: see `invalidation`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Select, select

from ..db.engine import Database
from ..db.statements import with_row_locks
from ..models import Topic
from ..models.cache_version import random_version
from .invalidation import (
    ACCESS,
    DISPLAY_NAMES,
    TOPIC_LISTS,
    invalidate,
    update_without_invalidation,
)

_CHUNK = 1_000
"""The number of topics of one transaction, which locks them all."""


def reset_all(database: Database, *, progress: Callable[[int], None] = lambda n: None) -> int:
    """Invalidate all cached pages, give each topic another version, return how many topics.

    A first, short transaction invalidates the lists. The versions of the topics follow in chunks.
    progress: called after each chunk with the number of its topics.
    """
    with database.session.begin() as db:
        invalidate(db, TOPIC_LISTS)
        invalidate(db, DISPLAY_NAMES)
        invalidate(db, ACCESS)
    total, last_id = 0, 0
    while True:
        with database.session.begin() as db:
            # Everyone who locks several topics locks them by rising id.
            ids: Sequence[int] = db.scalars(_following(last_id)).all()
            if not ids:
                return total
            statement = update_without_invalidation(Topic).where(Topic.id.between(ids[0], ids[-1]))
            # The id is added because the ETags of two topics must differ.
            db.execute(statement.values(version=random_version() + Topic.id))
        last_id = ids[-1]
        total += len(ids)
        progress(len(ids))


def _following(last_id: int) -> Select[Any]:
    ids = select(Topic.id).where(Topic.id > last_id).order_by(Topic.id).limit(_CHUNK)
    return with_row_locks(ids, Topic)
