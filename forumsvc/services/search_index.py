"""Writing the search index: the tokens of topics and replies.

The background worker makes them from the events, a moment after the commit. Whoever writes tokens
holds the lock of the worker's position (`lock`): otherwise tokens of an older text could be written
over those of a newer one.
"""

import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    DateTime,
    Integer,
    Select,
    Text,
    bindparam,
    cast,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ..db.execution import SqlConnection, is_sqlite
from ..db.statements import delete_of, insert_of, update_of
from ..markup.text_content import text_content
from ..models import EventType, MovedTopic, Reply, ReplyWords, Topic, TopicWords
from ..queries.rows import EventRow
from ..queries.search_documents import Words
from ..search.tokens import TOKENS_VERSION, tokens
from .event_consumers import lock_position

CONSUMER = "search-index"
BATCH_SIZE = 100
"""Posts per transaction, where others do not wait for it."""
SQLITE_BATCH_SIZE = 10
"""Posts per transaction on SQLite, where all other writers wait for it; the tokens of a post of the
greatest length take 0.05 s of processor time."""
_MOST_SECONDS = 0.2
"""How long a transaction on SQLite may make tokens before it ends early."""

_TOPIC_EVENTS = frozenset({EventType.TOPIC_CREATED, EventType.TOPIC_UPDATED, EventType.TOPIC_MOVED})
_REPLY_EVENTS = frozenset({EventType.REPLY_CREATED, EventType.REPLY_UPDATED})


def lock(db: Session, now: datetime) -> None:
    """Let nobody else write tokens until the transaction ends."""
    lock_position(db, CONSUMER, now)


def index_events(db: Session, events: Sequence[EventRow]) -> None:
    """Make the tokens of the posts that were written or edited. Requires the lock."""
    index_topics(db, {event.topic_id for event in events if event.type in _TOPIC_EVENTS})
    index_replies(db, {event.reply_id for event in events if event.type in _REPLY_EVENTS})
    for event in events:
        if event.type == EventType.TOPIC_MOVED:
            _note_moved(db, select(Topic.id).where(Topic.id == event.topic_id))


def note_node_moved(db: Session, node_id: int) -> None:
    """Have the tokens of all topics of a node, and of their replies, made anew."""
    _note_moved(db, select(Topic.id).where(Topic.node_id == node_id))


def _note_moved(db: Session, topic_ids: Select[Any]) -> None:
    insert = insert_of(MovedTopic, db.get_bind().dialect.name)
    moved = topic_ids.add_columns(cast(0, MovedTopic.last_reply_id.type))
    statement = insert.from_select(["topic_id", "last_reply_id"], moved)
    changed = {"last_reply_id": statement.excluded.last_reply_id}
    db.execute(statement.on_conflict_do_update(index_elements=["topic_id"], set_=changed))


def index_moved(db: Session) -> bool:
    """Make the tokens of a part of a moved topic; return whether there may be more to do.

    Requires the lock.
    """
    columns: list[Any] = [MovedTopic.topic_id, MovedTopic.last_reply_id]
    moved = db.execute(select(*columns).order_by(MovedTopic.topic_id).limit(1)).first()
    if moved is None:
        return False
    if moved.last_reply_id == 0:
        index_topics(db, {moved.topic_id})
    next_replies = (
        select(Reply.id)
        .where(Reply.topic_id == moved.topic_id, Reply.id > moved.last_reply_id)
        .order_by(Reply.id)
        .limit(BATCH_SIZE)
    )
    ids = db.scalars(next_replies).all()
    done = index_some(db, ReplyWords, ids)
    is_topic = MovedTopic.topic_id == moved.topic_id
    if done < BATCH_SIZE and done == len(ids):
        db.execute(delete_of(MovedTopic).where(is_topic))
    else:
        db.execute(update_of(MovedTopic).where(is_topic).values(last_reply_id=ids[done - 1]))
    return True


def index_some(db: Session, words: Words, ids: Sequence[int]) -> int:
    """Make the tokens of the first of these posts, and return of how many.

    On SQLite of as many as are made in a short time. Requires the lock.
    """
    if not is_sqlite(db):
        _write(db, words, documents(db, words, ids))
        return len(ids)
    until = time.monotonic() + _MOST_SECONDS
    done = 0
    while done < len(ids):
        part = ids[done : done + SQLITE_BATCH_SIZE]
        _write(db, words, documents(db, words, part))
        done += len(part)
        if time.monotonic() > until:
            break
    return done


def index_topics(db: Session, ids: Iterable[int | None]) -> None:
    """Make the tokens of topics. Requires the lock."""
    _write(db, TopicWords, documents(db, TopicWords, _known(ids)))


def index_replies(db: Session, ids: Iterable[int | None]) -> None:
    """Make the tokens of replies. Requires the lock."""
    _write(db, ReplyWords, documents(db, ReplyWords, _known(ids)))


def remove(db: Session, words: Words, ids: Sequence[int]) -> None:
    """Delete documents. Requires the lock."""
    db.execute(delete_of(words).where(words.id.in_(ids)))


def documents(db: SqlConnection, words: Words, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return the documents of posts: id, created_at, and the words with a blank between them."""
    if not ids:
        return []
    if words is TopicWords:
        return [_topic_document(row) for row in db.execute(_topics(), {"ids": ids})]
    return [_reply_document(row) for row in db.execute(_replies(), {"ids": ids})]


@cache
def _topics() -> Select[Any]:
    columns: list[Any] = [
        *(Topic.id, Topic.user_id, Topic.node_id, Topic.title, Topic.body_html, Topic.created_at)
    ]
    is_one = Topic.id.in_(bindparam("ids", expanding=True))
    return select(*columns).where(is_one).order_by(Topic.id)


@cache
def _replies() -> Select[Any]:
    columns: list[Any] = [
        *(Reply.id, Reply.user_id, Topic.node_id, Reply.body_html, Reply.created_at)
    ]
    is_one = Reply.id.in_(bindparam("ids", expanding=True))
    joined = select(*columns).join(Topic, Topic.id == Reply.topic_id)
    return joined.where(is_one).order_by(Reply.id)


def _topic_document(row: Any) -> dict[str, Any]:
    title = tokens(row.title)
    body = tokens(text_content(row.body_html))
    return _document(row, [*dict.fromkeys([*title, *body]), *(f"={token}" for token in title)])


def _reply_document(row: Any) -> dict[str, Any]:
    return _document(row, tokens(text_content(row.body_html)))


def _document(row: Any, words: list[str]) -> dict[str, Any]:
    return {
        "id": row.id,
        "created_at": row.created_at,
        "words": " ".join([*words, f"@u{row.user_id}", f"@n{row.node_id}"]),
    }


def _write(db: Session, words: Words, documents: Sequence[dict[str, Any]]) -> None:
    """Insert or replace documents; one that is the same already is not written."""
    if not documents:
        return
    if is_sqlite(db):
        values: Any = [{**one, "version": TOKENS_VERSION} for one in documents]
        db.connection().execute(_upsert_each(words), values)
        return
    columns = {name: [one[name] for one in documents] for name in ("id", "created_at", "words")}
    db.connection().execute(_upsert_all(words), {**columns, "version": TOKENS_VERSION})


@cache
def _upsert_each(words: Words) -> Any:
    table: Any = words.__table__
    names = ("id", "version", "created_at", "words")
    return _or_replace(sqlite.insert(table).values({name: bindparam(name) for name in names}))


@cache
def _upsert_all(words: Words) -> Any:
    """Return one statement for a whole batch, whose columns are arrays."""
    table: Any = words.__table__
    rows = select(
        func.unnest(bindparam("id", type_=postgresql.ARRAY(BigInteger))),
        bindparam("version", type_=Integer),
        func.unnest(bindparam("created_at", type_=postgresql.ARRAY(DateTime(timezone=True)))),
        func.array_to_tsvector(
            func.string_to_array(
                func.unnest(bindparam("words", type_=postgresql.ARRAY(Text))), literal(" ")
            )
        ),
    )
    insert = postgresql.insert(table)
    return _or_replace(insert.from_select(["id", "version", "created_at", "words"], rows))


def _or_replace(statement: Any) -> Any:
    new, old = statement.excluded, statement.table.c
    return statement.on_conflict_do_update(
        index_elements=[old.id],
        set_={"version": new.version, "created_at": new.created_at, "words": new.words},
        where=or_(old.version != new.version, old.words != new.words),
    )


def _known(ids: Iterable[int | None]) -> list[int]:
    return sorted({one for one in ids if one is not None})
