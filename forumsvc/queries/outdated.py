"""The texts whose HTML another version of the renderer made."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, func, select, tuple_

from ..db.execution import SqlConnection
from ..models import Reply, Topic

Post = type[Topic] | type[Reply]
POSTS: tuple[Post, ...] = (Topic, Reply)


def count(db: SqlConnection, version: int) -> int:
    """Return how many topics and replies are not of this version."""
    return sum(
        db.execute(select(func.count()).select_from(post).where(condition)).scalar_one()
        for post in POSTS
        for condition in _others(post, version)
    )


def batches(
    db: SqlConnection, post: Post, version: int, size: int
) -> Iterator[Sequence[Row[tuple[int, str, str, int]]]]:
    """Yield the posts (id, body, body_html, markup_version) of other versions, up to `size` each.

    Each batch is one SELECT by an index that begins where the one before ended, whatever became of
    those in between; posts that get another version meanwhile are left out or come later.
    """
    place = tuple_(post.markup_version, post.id)
    columns: tuple[Any, ...] = (post.id, post.body, post.body_html, post.markup_version)
    for condition in _others(post, version):
        statement = select(*columns).where(condition).order_by(post.markup_version, post.id)
        found = db.execute(statement.limit(size)).all()
        while found:
            yield found
            last = found[-1]
            after = place > tuple_(last.markup_version, last.id)
            found = db.execute(statement.where(after).limit(size)).all()


def _others(post: Post, version: int) -> tuple[ColumnElement[bool], ...]:
    """Return the two sides of `<>`, for each of which the index is a range."""
    return post.markup_version < version, post.markup_version > version
