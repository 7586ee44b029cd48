"""Making the search index for all posts, and checking it, while the service runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

from ... import clock
from ...db.engine import Database
from ...db.execution import is_sqlite
from ...db.statements import delete_of, insert_or_ignore
from ...errors import Conflict
from ...models import PendingReindex, ReplyWords, TopicWords
from ...queries import search_documents
from ...queries.id_ranges import id_ranges
from ...queries.search_documents import POSTS, Words
from . import indexing, name_keys

_RANGE = 2_000
"""Ids that are compared with the index at a time."""
_SQLITE_CACHE = "PRAGMA cache_size = -65536"
"""64 MB. With 2 MB, as usual, FTS5 reads its own pages again and again: six times as slow."""
_LOCK_KEY = 0x736561726368  # "search"
_LOCK_TIMEOUT = "10min"
"""CREATE INDEX CONCURRENTLY waits for the end of older transactions; nobody waits behind it."""

Progress = Callable[[int, int], None]
"""Called with the number of ids that are done, and of all."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """How many posts were indexed."""

    topics: int
    replies: int


def reindex(
    database: Database, *, from_scratch: bool = False, progress: Progress = lambda done, total: None
) -> Reindexed:
    """Index all posts that are missing or of an older version; a later run continues.

    The names of people follow, too. Where the index was never complete, the GIN index is built at
    the end, which is quicker.
    from_scratch: empty the index before; nothing is found until the end. progress: see
    `Progress`. Raises Conflict if another process does the same.
    """
    with nullcontext() if database.is_sqlite else _alone(database):
        if from_scratch:
            _empty(database)
        with database.reads.connect() as reads:
            is_first = not search_documents.is_complete(reads)
        if is_first and not database.is_sqlite:
            for words in POSTS:
                _run_alone(database, f"DROP INDEX IF EXISTS {_gin_name(words)}")
        name_keys.refresh(database)
        counts = _fill_all(database, progress)
        if is_first and not database.is_sqlite:
            for words in POSTS:
                _build_gin(database, words)
        with database.session.begin() as db:
            db.execute(delete_of(PendingReindex))
        return Reindexed(counts[TopicWords], counts[ReplyWords])


def mark_pending(db: Session) -> None:
    """Let searches answer that the posts are being indexed, until `reindex` has ended."""
    insert_or_ignore(db, PendingReindex, id=1)


def _empty(database: Database) -> None:
    with database.session.begin() as db:
        indexing.lock(db, clock.now())
        mark_pending(db)
        for words in POSTS:
            _empty_table(db.connection(), words.__tablename__)


def _empty_table(db: Connection, table: str) -> None:
    if db.dialect.name == "postgresql":
        db.exec_driver_sql(f"TRUNCATE {table}")
        return
    # The trigger would remove each document from the index; this also empties a damaged one.
    trigger = text("SELECT sql FROM sqlite_master WHERE name = :name")
    created = db.execute(trigger, {"name": f"{table}_delete"}).scalar_one()
    db.exec_driver_sql(f"DROP TRIGGER {table}_delete")
    db.exec_driver_sql(f"DELETE FROM {table}")  # noqa: S608 - our name
    db.exec_driver_sql(f"INSERT INTO {table}_fts({table}_fts) VALUES ('delete-all')")  # noqa: S608
    db.exec_driver_sql(created)


def _fill_all(database: Database, progress: Progress) -> dict[Words, int]:
    """Index what is missing; return how many posts."""
    counts: dict[Words, int] = dict.fromkeys(POSTS, 0)
    with database.reads.connect() as reads:
        done = 0
        for words in POSTS:
            for first, last in id_ranges(reads, POSTS[words], _RANGE):
                ids = search_documents.missing_ids(reads, words, first, last)
                counts[words] += len(ids)
                indexing.index(database, words, ids, _enlarge_cache)
                newest = {post: search_documents.newest_id(reads, post) for post in POSTS}
                progress(done + min(last, newest[words]), sum(newest.values()))
            done += search_documents.newest_id(reads, words)
    return counts


def _enlarge_cache(db: Session) -> None:
    if is_sqlite(db):
        db.execute(text(_SQLITE_CACHE))


def _gin_name(words: Words) -> str:
    return f"ix_{words.__tablename__}_words"


def _build_gin(database: Database, words: Words) -> None:
    table = words.__tablename__
    _run_alone(
        database,
        f"SET lock_timeout = '{_LOCK_TIMEOUT}'",
        # With more the index gets larger, and is not made sooner.
        "SET maintenance_work_mem = '64MB'",
        f"CREATE INDEX CONCURRENTLY {_gin_name(words)} ON {table}"
        " USING gin (words) WITH (fastupdate = off)",
        f"ANALYZE {table}",
    )


def _run_alone(database: Database, *statements: str) -> None:
    """Run statements that must not be in a transaction."""
    with database.writes.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
        try:
            for statement in statements:
                db.exec_driver_sql(statement)
        finally:
            # Its settings are not for others.
            db.invalidate()


@contextmanager
def _alone(database: Database) -> Iterator[None]:
    """Let only one process reindex. Raises Conflict if another one does."""
    with database.reads.connect() as db:
        lock: dict[str, Any] = {"key": _LOCK_KEY}
        if not db.scalar(text("SELECT pg_try_advisory_lock(:key)"), lock):
            raise Conflict("Another process is indexing the posts.")
        try:
            yield
        finally:
            db.execute(text("SELECT pg_advisory_unlock(:key)"), lock)
