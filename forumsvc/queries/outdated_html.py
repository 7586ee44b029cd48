"""Finds the texts whose HTML was rendered by another version of the renderer.

A post is a topic, a reply, or a former text of one.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, func, select, tuple_

from ..db.execution import SqlConnection
from ..models import PostVersion, Reply, Topic

Post = type[Topic] | type[Reply] | type[PostVersion]
POSTS: tuple[Post, ...] = (Topic, Reply, PostVersion)


def count(db: SqlConnection, version: int) -> int:
    """Return the number of posts that are not of this version."""
    return sum(
        db.execute(select(func.count()).select_from(post).where(condition)).scalar_one()
        for post in POSTS
        for condition in _others(post, version)
    )


def count_fallbacks(db: SqlConnection) -> int:
    """Return the number of posts that are shown unrendered (version 0)."""
    return sum(
        db.execute(
            select(func.count()).select_from(post).where(post.markup_version == 0)
        ).scalar_one()
        for post in POSTS
    )


def older(
    db: SqlConnection, post: Post, version: int, size: int
) -> Sequence[Row[tuple[int, str, str, int]]]:
    """Return up to `size` posts of older versions, but for those that are shown unrendered."""
    is_older = post.markup_version.between(1, version - 1)
    ordered = _select(post).where(is_older).order_by(post.markup_version, post.id)
    return db.execute(ordered.limit(size)).all()


def batches(
    db: SqlConnection, post: Post, version: int, size: int
) -> Iterator[Sequence[Row[tuple[int, str, str, int]]]]:
    """Yield batches of posts (id, body, body_html, markup_version) that are of other versions.

    Each batch is one SELECT by an index, of up to `size` rows after the batch before, whatever
    happened to that. Posts that get another version meanwhile are skipped or come later.
    """
    key = tuple_(post.markup_version, post.id)
    for condition in _others(post, version):
        statement = _select(post).where(condition).order_by(post.markup_version, post.id)
        rows = db.execute(statement.limit(size)).all()
        while rows:
            yield rows
            last = rows[-1]
            after = key > tuple_(last.markup_version, last.id)
            rows = db.execute(statement.where(after).limit(size)).all()


def _select(post: Post) -> Any:
    return select(post.id, post.body, post.body_html, post.markup_version)


def _others(post: Post, version: int) -> tuple[ColumnElement[bool], ...]:
    """Return the two halves of `<>`, each of which is a range of the index."""
    return post.markup_version < version, post.markup_version > version
