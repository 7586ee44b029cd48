"""Loads former texts of topics and replies, and finds out whether an edit has to keep one."""

from collections.abc import Collection
from datetime import datetime
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Select, bindparam, or_, select, union_all
from sqlalchemy.orm import aliased

from ..db.base import BigId, UtcDateTime
from ..db.execution import ReadConnection, row, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import (
    PostVersion,
    Reply,
    ReplyLike,
    Report,
    Review,
    Topic,
    TopicLike,
    User,
)
from .rows import columns
from .user_columns import summary


class PostVersionRow(Protocol):
    """A former text of a topic or reply and its editor, for `presenters.post_versions`."""

    id: int
    number: int
    user_id: int
    title: str | None
    body: str
    body_html: str
    created_at: datetime
    hidden_at: datetime | None
    editor_id: int
    editor_login: str
    editor_name: str
    editor_avatar: str


class Post(NamedTuple):
    """Whose versions: a topic or a reply."""

    model: type[Topic] | type[Reply]
    id: int


_NEWEST_FIRST = SortOrder("post_versions", number=PostVersion.number)
_editor = aliased(User, name="editor")
_COLUMNS = (
    *columns(PostVersion, PostVersionRow, without={"editor_id"}),
    *summary(_editor, "editor"),
)
_SHOWN = PostVersion.hidden_at.is_(None)
_NUMBER: Any = bindparam("number", type_=BigId)


def _of(model: type[Topic] | type[Reply]) -> Any:
    return PostVersion.topic_id if model is Topic else PostVersion.reply_id


def _select(model: type[Topic] | type[Reply], *, with_hidden: bool) -> Select[Any]:
    of_post = select(*_COLUMNS).join(_editor, _editor.id == PostVersion.editor_id)
    of_post = of_post.where(_of(model) == bindparam("post_id"))
    return of_post if with_hidden else of_post.where(_SHOWN)


@cache
def _page(model: type[Topic] | type[Reply], with_hidden: bool, keyset: KeysetPage) -> Select[Any]:
    page: Any = keyset.apply(_select(model, with_hidden=with_hidden))
    return page


def of_post(db: ReadConnection, post: Post, page: PageRequest, *, with_hidden: bool) -> PageRows:
    """Return a page of the former texts of a post as PostVersionRow, the newest first."""
    build = partial(_page, post.model, with_hidden)
    values = {"post_id": post.id}
    return load_page(db, page, _NEWEST_FIRST, build, values, ("body", "body_html"))


@cache
def _by_number(model: type[Topic] | type[Reply]) -> Any:
    return _select(model, with_hidden=True).where(PostVersion.number == _NUMBER)


def by_number(db: ReadConnection, post: Post, number: int) -> PostVersionRow | None:
    """Return a former text of a post, also a hidden one, or None."""
    return row(db, _by_number(post.model), {"post_id": post.id, "number": number})


@cache
def _next(model: type[Topic] | type[Reply], with_hidden: bool) -> Any:
    later = _select(model, with_hidden=with_hidden).where(PostVersion.number > _NUMBER)
    return later.order_by(PostVersion.number).limit(1)


def following(
    db: ReadConnection, post: Post, number: int, *, with_hidden: bool
) -> PostVersionRow | None:
    """Return the former text that came next after one, or None if the present text did."""
    return row(db, _next(post.model, with_hidden), {"post_id": post.id, "number": number})


@cache
def _posts_with(with_hidden: bool) -> Any:
    names = {"topic_id": "topic_ids", "reply_id": "reply_ids"}
    found = select(PostVersion.topic_id, PostVersion.reply_id).distinct()
    found = found.where(
        or_(
            *(
                getattr(PostVersion, column).in_(bindparam(name, expanding=True))
                for column, name in names.items()
            )
        )
    )
    return found if with_hidden else found.where(_SHOWN)


def posts_with(
    db: ReadConnection,
    topic_ids: Collection[int],
    reply_ids: Collection[int],
    *,
    with_hidden: bool,
) -> Collection[Post]:
    """Return which of these topics and replies have former texts."""
    if not topic_ids and not reply_ids:
        return frozenset()
    values = {"topic_ids": [*topic_ids] or [0], "reply_ids": [*reply_ids] or [0]}
    return {
        Post(Topic, item.topic_id) if item.reply_id is None else Post(Reply, item.reply_id)
        for item in rows(db, _posts_with(with_hidden), values)
    }


@cache
def _others(model: type[Topic] | type[Reply]) -> Any:
    """Return the SELECT of a row for each reply, like and report of others since a time."""
    post_id: Any = bindparam("post_id", type_=BigId)
    user_id: Any = bindparam("user_id", type_=BigId)
    since: Any = bindparam("since", type_=UtcDateTime)
    like: Any = TopicLike if model is Topic else ReplyLike
    is_liked = (like.topic_id if model is Topic else like.reply_id) == post_id
    liked = select(like.id).where(is_liked, like.user_id != user_id, like.created_at > since)
    is_reported = (
        (Review.topic_id == post_id, Review.reply_id.is_(None))
        if model is Topic
        else (Review.reply_id == post_id,)
    )
    reported = (
        select(Report.id)
        .join(Review, Review.id == Report.review_id)
        .where(*is_reported, Report.reporter_id != user_id, Report.created_at > since)
    )
    if model is Reply:
        return union_all(liked, reported)
    # The newest one of others, for there may be many before it.
    newest: Any = (
        select(Reply.created_at)
        .where(Reply.topic_id == post_id, Reply.user_id != user_id)
        .order_by(Reply.id.desc())
        .limit(1)
        .subquery("newest")
    )
    replied: Any = select(post_id.label("id")).where(newest.c.created_at > since)
    return union_all(replied, liked, reported)


def others_acted_since(db: ReadConnection, post: Post, user_id: int, since: datetime) -> bool:
    """Return whether anybody but a user has replied to a post, liked or reported it since then.

    Who replies to a reply of a topic replies to the topic.
    """
    values = {"post_id": post.id, "user_id": user_id, "since": since}
    return bool(rows(db, _others(post.model), values))
