"""Writing the search index: the tokens of topics and replies.

The background worker makes them from the events, a moment after the commit. Tokens are made outside
any transaction: that may take long, and on SQLite all other writers wait for a transaction. So the
transaction that writes them compares the posts with those that the tokens were made of. It holds
the lock of the worker's position (`lock`): otherwise tokens of an older text could be written over
those of a newer one.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, bindparam, or_, select
from sqlalchemy.orm import Session

from ... import clock
from ...db.engine import Database
from ...db.execution import SqlConnection
from ...db.statements import delete_of
from ...markup.text_content import text_content
from ...models import EventType, JobKind, Reply, ReplyWords, Topic, TopicWords
from ...queries.rows import EventRow
from ...queries.search_documents import Words
from ...search.expressions import HIDDEN
from ...search.tokens import first_bytes, tokens
from ...text.ids import known_ids
from .. import jobs
from ..event_consumers import lock_position
from ..events import OF_TOPIC
from .upsert import upsert

CONSUMER = "search-index"
BATCH_SIZE = 100
"""Posts whose tokens are made at a time."""
_MOST_BYTES = {"sqlite": 150_000, "postgresql": 8_000_000}
"""Of the tokens that a transaction writes, but for a longer single document. On SQLite all other
writers wait for it: docs/operators/search.md."""

_EVENTS_OF_ALL_REPLIES = frozenset(
    {
        *(EventType.TOPIC_MOVED, EventType.TOPIC_BANNED, EventType.TOPIC_UNBANNED),
        *(EventType.TOPIC_DELETED, EventType.TOPIC_RESTORED),
    }
)
_TOPIC_EVENTS = _EVENTS_OF_ALL_REPLIES | {EventType.TOPIC_CREATED, EventType.TOPIC_UPDATED}
_REPLY_EVENTS = frozenset(
    {
        *(EventType.REPLY_CREATED, EventType.REPLY_UPDATED),
        *(EventType.REPLY_DELETED, EventType.REPLY_RESTORED),
    }
)


def lock(db: Session, now: datetime) -> None:
    """Let nobody else write tokens until the transaction ends."""
    lock_position(db, CONSUMER, now)


class Document(NamedTuple):
    """The tokens of a post. source: the row that they were made of; words: a blank between them."""

    source: Row[Any]
    words: str


def index_events(database: Database, events: Sequence[EventRow]) -> None:
    """Make the tokens of the posts that were written, edited, hidden or shown again.

    The events must be read before: what changes later has an event of its own.
    """
    topic_ids = {event.topic_id for event in events if event.type in _TOPIC_EVENTS}
    reply_ids = {
        event.reply_id
        for event in events
        if event.type in _REPLY_EVENTS and event.data != OF_TOPIC  # `note_topics` has those
    }
    index(database, TopicWords, known_ids(topic_ids))
    index(database, ReplyWords, known_ids(reply_ids))


def note_topics(db: Session, events: Sequence[EventRow]) -> None:
    """Have the tokens of the replies of topics that were moved, hidden or shown made anew."""
    ids = known_ids(event.topic_id for event in events if event.type in _EVENTS_OF_ALL_REPLIES)
    if ids:
        begin = {"last_reply_id": 0}
        topic_ids = select(Topic.id).where(Topic.id.in_(ids))
        jobs.enqueue_once(db, JobKind.INDEX_TOPIC, topic_ids, clock.now(), begin)


def index_topic(database: Database, job: jobs.Claimed) -> None:
    """Make the tokens of a part of a noted topic anew; finish or move the job.

    Whoever notes the topic again meanwhile takes the job away, and all is made once more.
    """
    topic_id, last_id = int(job.key), job.data["last_reply_id"]
    next_replies = (
        select(Reply.id)
        .where(Reply.topic_id == topic_id, Reply.id > last_id)
        .order_by(Reply.id)
        .limit(BATCH_SIZE)
    )
    with database.session.begin() as db:
        ids = db.scalars(next_replies).all()
    if last_id == 0:
        index(database, TopicWords, [topic_id])
    index(database, ReplyWords, ids)
    with database.session.begin() as db:
        if len(ids) == BATCH_SIZE:
            jobs.save_progress(db, job, {"last_reply_id": ids[-1]}, due_at=clock.now())
        else:
            jobs.finish(db, job, clock.now())


def index(
    database: Database,
    words: Words,
    ids: Sequence[int],
    begin: Callable[[Session], None] = lambda db: None,
) -> None:
    """Make the tokens of posts, and remove the documents of those that exist no more.

    begin: is called at the beginning of each transaction.
    """
    for at in range(0, len(ids), BATCH_SIZE):
        part = ids[at : at + BATCH_SIZE]
        # Those that somebody changes meanwhile are made again.
        while part:
            made = [_document(words, row) for row in _read(database, words, part)]
            part = _store(database, words, part, made, begin)


def _read(database: Database, words: Words, ids: Sequence[int]) -> Sequence[Row[Any]]:
    if database.is_sqlite:
        with database.reads.connect() as reads:
            return _sources(reads, words, ids)
    # Not `reads`, which may be of a replica that is behind.
    with database.session.begin() as db:
        return _sources(db, words, ids)


def _store(
    database: Database,
    words: Words,
    ids: Sequence[int],
    made: Sequence[Document],
    begin: Callable[[Session], None],
) -> list[int]:
    """Write documents in short transactions; return the ids of the posts that have changed."""
    changed: list[int] = []
    dialect = "sqlite" if database.is_sqlite else "postgresql"
    for part in _parts(made, _MOST_BYTES[dialect]):
        with database.session.begin() as db:
            begin(db)
            lock(db, clock.now())
            changed += _write_unchanged(db, words, part)
    gone = sorted({*ids} - {document.source.id for document in made})
    if gone:
        with database.session.begin() as db:
            lock(db, clock.now())
            # Ids are never used again.
            remove(db, words, gone)
    return changed


def _parts(made: Sequence[Document], most: int) -> Iterator[list[Document]]:
    part: list[Document] = []
    size = 0
    for document in made:
        length = len(document.words.encode())
        if part and size + length > most:
            yield part
            part, size = [], 0
        part.append(document)
        size += length
    if part:
        yield part


def _write_unchanged(db: Session, words: Words, part: Sequence[Document]) -> list[int]:
    ids = [document.source.id for document in part]
    present = {row.id: row for row in _sources(db, words, ids)}
    is_same = {item.source.id: present.get(item.source.id) == item.source for item in part}
    _write(db, words, [document for document in part if is_same[document.source.id]])
    return [item for item in ids if not is_same[item]]


def index_now(db: Session, words: Words, ids: Sequence[int]) -> None:
    """Make the tokens of a few posts in the transaction that changes them. Requires the lock."""
    _write(db, words, documents(db, words, ids))


def remove(db: Session, words: Words, ids: Sequence[int]) -> None:
    """Delete documents. Requires the lock."""
    db.execute(delete_of(words).where(words.id.in_(ids)))


def documents(db: SqlConnection, words: Words, ids: Sequence[int]) -> list[Document]:
    """Return the documents of posts, in the order of their ids."""
    return [_document(words, row) for row in _sources(db, words, ids)]


def _sources(db: SqlConnection, words: Words, ids: Sequence[int]) -> Sequence[Row[Any]]:
    """Return all that tokens depend on."""
    if not ids:
        return []
    return db.execute(_TOPICS if words is TopicWords else _REPLIES, {"ids": ids}).all()


def _is_hidden(*moments: Any) -> ColumnElement[bool]:
    return or_(*(moment.is_not(None) for moment in moments)).label("is_hidden")


_TOPICS: Any = (
    select(
        *(Topic.id, Topic.user_id, Topic.node_id, Topic.title, Topic.body_html, Topic.created_at),
        _is_hidden(Topic.banned_at, Topic.deleted_at),
    )
    .where(Topic.id.in_(bindparam("ids", expanding=True)))
    .order_by(Topic.id)
)
_REPLIES: Any = (
    select(
        *(Reply.id, Reply.user_id, Topic.node_id, Reply.body_html, Reply.created_at),
        _is_hidden(Reply.deleted_at, Topic.banned_at, Topic.deleted_at),
    )
    .join(Topic, Topic.id == Reply.topic_id)
    .where(Reply.id.in_(bindparam("ids", expanding=True)))
    .order_by(Reply.id)
)


def _document(words: Words, row: Row[Any]) -> Document:
    body = tokens(text_content(row.body_html))
    title = tokens(row.title) if words is TopicWords else []
    made = [*(f"={token}" for token in title), *dict.fromkeys([*title, *body])]
    marks = [f"@u{row.user_id}", f"@n{row.node_id}", *[HIDDEN] * row.is_hidden]
    return Document(row, " ".join([*first_bytes(made), *marks]))


def _write(db: Session, words: Words, documents: Sequence[Document]) -> None:
    """Insert or replace documents; one that is the same already is not written."""
    upsert(
        db,
        words,
        [
            {"id": source.id, "created_at": source.created_at, "words": made}
            for source, made in documents
        ],
    )
