"""Checking the search index: whether it has the words of all posts, and nothing else."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, String, bindparam, cast, func, select, text
from sqlalchemy.exc import DatabaseError

from ... import clock
from ...db.base import UtcDateTime
from ...db.engine import Database
from ...models import Event, Job, JobKind, Reply, Topic, TopicWords
from ...queries import search_documents
from ...queries.id_ranges import id_ranges
from ...queries.search_documents import POSTS, Words
from . import indexing

SAMPLE = 1_000
"""Documents of each kind whose tokens are compared one by one."""

LATE = timedelta(minutes=1)
"""A post that is missing for longer is wrong; before that the worker is only late."""
_RANGE = 2_000
_BATCH = 100


@dataclass(frozen=True, slots=True)
class Wrong:
    """A fault. ids: of posts, empty for a damaged index."""

    words: Words
    what: str
    ids: Sequence[int]


@dataclass(frozen=True, slots=True)
class Checked:
    """How many documents were compared with their posts, and what is wrong."""

    checked: int
    wrong: Sequence[Wrong]


def check(database: Database) -> Checked:
    """Compare the documents with the posts: all ids, and the tokens of a random sample."""
    checked, wrong = 0, []
    with database.reads.connect() as db:
        before = clock.now() - LATE
        for words in POSTS:
            wrong += [*missing(db, words, before), *_without_post(db, words)]
            sample = _sample(db, words)
            checked += len(sample)
            wrong += _other_tokens(db, words, sample, before)
    if database.is_sqlite:
        wrong += _damaged(database)
    return Checked(checked, wrong)


def fix(database: Database, result: Checked) -> int:
    """Make the documents anew that are wrong; return how many. A damaged index is left."""
    for item in result.wrong:
        # Removed before: a document of this version and the same words is not written again.
        for at in range(0, len(item.ids), indexing.BATCH_SIZE):
            ids = item.ids[at : at + indexing.BATCH_SIZE]
            with database.session.begin() as db:
                indexing.lock(db, clock.now())
                indexing.remove(db, item.words, ids)
            indexing.index(database, item.words, ids)
    return sum(len(entry.ids) for entry in result.wrong)


def missing(db: Connection, words: Words, before: datetime) -> Iterator[Wrong]:
    """Yield the posts without a document of this version that were written before that time."""
    post = POSTS[words]
    for first, last in id_ranges(db, post, _RANGE):
        ids = search_documents.missing_ids(db, words, first, last)
        old: Any = select(post.id).where(post.id.in_(ids), post.updated_at < before)
        late = db.scalars(old.order_by(post.id)).all() if ids else []
        if late:
            yield Wrong(words, "not indexed", late)


def _without_post(db: Connection, words: Words) -> Iterator[Wrong]:
    post = POSTS[words]
    ids: Any = select(words.id).where(~select(post.id).where(post.id == words.id).exists())
    rows = db.scalars(ids.order_by(words.id)).all()
    if rows:
        yield Wrong(words, "of no post", rows)


def _sample(db: Connection, words: Words) -> Sequence[int]:
    """Return the ids of random documents, of all where there are few."""
    by_id: Any = select(words.id).order_by(words.id)
    few = db.scalars(by_id.limit(SAMPLE + 1)).all()
    if len(few) <= SAMPLE:
        return few
    last = db.scalar(select(func.max(words.id))) or 0
    ids = random.sample(range(few[0], last + 1), min(SAMPLE, last + 1 - few[0]))
    sampled_ids = {db.scalar(by_id.where(words.id >= item).limit(1)) for item in ids}
    return sorted(sampled_ids)


def _other_tokens(
    db: Connection, words: Words, ids: Sequence[int], before: datetime
) -> Iterator[Wrong]:
    differing = []
    for at in range(0, len(ids), _BATCH):
        part = ids[at : at + _BATCH]
        stored = _stored(db, words, part)
        for document in indexing.documents(db, words, part):
            stored_words = stored.get(document.source.id)
            if stored_words is not None and stored_words != frozenset(document.words.split()):
                differing.append(document.source.id)
    if differing:
        # Behind the comparison: what has changed meanwhile is only late, too.
        wrong = db.scalars(_unchanged(words), {"ids": differing, "before": before}).all()
        if wrong:
            yield Wrong(words, "with other words", wrong)


def _unchanged(words: Words) -> Any:
    """Return the SELECT of the ids of posts in whose topics nothing has happened lately."""
    is_recent = Event.created_at >= bindparam("before", type_=UtcDateTime)
    changed = select(Event.topic_id).where(is_recent, Event.topic_id.is_not(None))
    post = POSTS[words]
    topic_id: Any = Topic.id if words is TopicWords else Reply.topic_id
    ids: Any = select(post.id).where(post.id.in_(bindparam("ids", expanding=True)))
    ids = ids.where(topic_id.not_in(changed)).order_by(post.id)
    if words is TopicWords:
        return ids
    is_its_job = (Job.kind == JobKind.INDEX_TOPIC, Job.key == cast(topic_id, String))
    return ids.where(~select(Job.id).where(*is_its_job).exists())


def _stored(db: Connection, words: Words, ids: Sequence[int]) -> dict[int, frozenset[str]]:
    stored: Any = words.words
    if db.dialect.name == "postgresql":
        stored = func.tsvector_to_array(words.words)
    columns: list[Any] = [words.id, stored.label("words")]
    result = db.execute(select(*columns).where(words.id.in_(ids)))
    return {
        row.id: frozenset(row.words.split() if isinstance(row.words, str) else row.words)
        for row in result
    }


def _damaged(database: Database) -> Iterator[Wrong]:
    """Compare SQLite's index with its documents; the 1 is what makes FTS5 do that."""
    for words in POSTS:
        table = words.__tablename__
        statement = f"INSERT INTO {table}_fts({table}_fts, rank) VALUES ('integrity-check', 1)"  # noqa: S608
        try:
            with database.session.begin() as db:
                db.execute(text(statement))
        except DatabaseError:
            yield Wrong(words, "index damaged: run search reindex --from-scratch", ())
