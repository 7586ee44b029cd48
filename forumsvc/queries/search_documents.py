"""The state of the search index: what is missing, outdated, or still to be done."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Select, bindparam, exists, func, or_, select

from ..db.execution import ReadConnection, SqlConnection, row
from ..models import PendingReindex, Reply, ReplyWords, Topic, TopicWords
from ..search.tokens import TOKENS_VERSION

Words = type[TopicWords | ReplyWords]

POSTS: dict[Words, type[Topic | Reply]] = {TopicWords: Topic, ReplyWords: Reply}
"""What the documents of each table are made of."""


def is_complete(db: ReadConnection) -> bool:
    """Return whether all posts were indexed once, so that searches find what is there."""
    return row(db, _PENDING, {}) is None


_PENDING: Any = select(PendingReindex.id).limit(1)


def has_outdated(db: SqlConnection) -> bool:
    """Return whether a document is as an older version made it."""
    return any(
        db.scalar(select(words.id).where(words.version != TOKENS_VERSION).limit(1)) is not None
        for words in POSTS
    )


def missing_ids(db: SqlConnection, words: Words, first: int, last: int) -> Sequence[int]:
    """Return the ids of the posts without a document of this version, from `first` to `last`."""
    return db.execute(_missing(words), {"first": first, "last": last}).scalars().all()


@cache
def _missing(words: Words) -> Select[Any]:
    post = POSTS[words]
    first, last = (bindparam(name, type_=BigInteger) for name in ("first", "last"))
    return (
        select(post.id)
        .outerjoin(words, words.id == post.id)
        .where(
            post.id.between(first, last), or_(words.id.is_(None), words.version != TOKENS_VERSION)
        )
        .order_by(post.id)
    )


class Documents(NamedTuple):
    """The documents of one table.

    indexed: of the present version; outdated: of an older one; missing: posts without one.
    """

    indexed: int
    outdated: int
    missing: int


def count(db: SqlConnection, words: Words) -> Documents:
    """Count the posts of one table by how the search has them. words: its table of tokens."""
    post = POSTS[words]
    is_new = words.version == TOKENS_VERSION
    indexed = db.scalar(select(func.count()).select_from(words).where(is_new)) or 0
    outdated = db.scalar(select(func.count()).select_from(words).where(~is_new)) or 0
    has_none = ~exists().where(words.id == post.id)
    missing = db.scalar(select(func.count()).select_from(post).where(has_none)) or 0
    return Documents(indexed, outdated, missing)


def newest_id(db: SqlConnection, words: Words) -> int:
    """Return the id of the newest post that the table is to have a document of; 0 without one."""
    return db.scalar(select(func.max(POSTS[words].id))) or 0
