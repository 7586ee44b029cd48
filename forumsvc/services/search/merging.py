"""Letting SQLite's index of the search forget words that were deleted from it.

FTS5 keeps a deleted word in a segment until that is merged (sqlite.org/fts5.html, "merge").
"""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from ...db.execution import ReadConnection
from ...models import ReplyWords, TopicWords
from ...queries import events
from .indexing import CONSUMER

TABLES = (TopicWords.__tablename__, ReplyWords.__tablename__)
_PAGES = 200
"""What one transaction merges at most, in pages of 1 kB: all other writers wait for it."""


def has_read_until(db: ReadConnection, moment: datetime) -> bool:
    """Return whether all posts that were changed before a time have their words in the index."""
    oldest_at = events.oldest_unread_at(db, CONSUMER)
    return oldest_at is None or oldest_at > moment


def merge(db: Session, table: str, *, is_first: bool) -> bool:
    """Merge a part of the segments of a table into one; return whether there is more.

    is_first: whether it begins with all segments that there are now.
    """
    driver: Any = db.connection().connection.driver_connection
    before = driver.total_changes
    pages = -_PAGES if is_first else _PAGES
    statement = f"INSERT INTO {table}_fts({table}_fts, rank) VALUES ('merge', {pages})"  # noqa: S608
    db.connection().exec_driver_sql(statement)
    return bool(driver.total_changes - before > 1)
