"""Reading the queue of moderators."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Select, String, bindparam, cast, func, literal_column, select
from sqlalchemy.orm import aliased

from ..db.execution import ReadConnection, row, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..db.statements import with_row_locks
from ..models import HeldPost, Reply, Report, Restriction, Review, ReviewState, Topic, User
from .rows import columns
from .user_columns import summary


class ReviewListRow(Protocol):
    """A review in the queue, for `presenters.reviews.review`.

    title: of the topic, or of a held post.
    """

    id: int
    kind: str
    object_key: str
    topic_id: int | None
    reply_id: int | None
    held_post_id: int | None
    reports_count: int
    weight: int
    hidden_by_service: bool
    state: str
    decision: str | None
    reason: str | None
    version: int
    opened_at: datetime
    resolved_at: datetime | None
    title: str | None
    author_id: int
    author_login: str
    author_name: str
    author_avatar: str
    resolver_id: int | None
    resolver_login: str | None
    resolver_name: str | None
    resolver_avatar: str | None


class ReviewRow(ReviewListRow, Protocol):
    """A review, for its ACL. reporter_ids: separated by commas."""

    reporter_ids: str | None


class ReviewOrder(StrEnum):
    """The order of the queue: the oldest first, or what many reported first."""

    OLDEST = "oldest"
    WEIGHT = "weight"


class ReviewFilter(NamedTuple):
    """Which reviews are wanted; None: all. user_id: of this author."""

    state: str
    kind: str | None = None
    node_id: int | None = None
    user_id: int | None = None


_ORDERS = {
    ReviewOrder.OLDEST: SortOrder("reviews.oldest", ascending=True, id=Review.id),
    ReviewOrder.WEIGHT: SortOrder("reviews.weight", weight=Review.weight, id=Review.id),
}
_RESOLVER = aliased(User)
_COMMA: Any = literal_column("','")
_COLUMNS: tuple[Any, ...] = (
    *columns(Review, ReviewListRow),
    func.coalesce(Topic.title, HeldPost.title).label("title"),
    *summary(User, "author"),
    *summary(_RESOLVER, "resolver"),
)
_CONDITIONS: dict[str, Any] = {
    "state": Review.state == bindparam("state"),
    "kind": Review.kind == bindparam("kind"),
    "node_id": func.coalesce(Topic.node_id, HeldPost.node_id) == bindparam("node_id"),
    "user_id": Review.user_id == bindparam("user_id"),
}


def _joined(statement: Select[Any]) -> Select[Any]:
    with_post = _with_post(statement).join(User, User.id == Review.user_id)
    return with_post.outerjoin(_RESOLVER, _RESOLVER.id == Review.resolved_by_id)


def _with_post(statement: Select[Any]) -> Select[Any]:
    """Join the held post and the topic, which has a held reply, too."""
    return statement.outerjoin(HeldPost, HeldPost.id == Review.held_post_id).outerjoin(
        Topic, Topic.id == func.coalesce(Review.topic_id, HeldPost.topic_id)
    )


@cache
def _page(names: tuple[str, ...], keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(*(_CONDITIONS[name] for name in names))
    if "node_id" in names:
        ids = _with_post(ids)
    page = keyset.apply(ids).subquery("page")
    whole = _joined(select(*_COLUMNS).join(page, page.c.id == Review.id))
    return whole.order_by(*keyset.order_by(page.c))


def page_of(
    db: ReadConnection, filter_: ReviewFilter, order: ReviewOrder, page: PageRequest
) -> PageRows:
    """Return a page of `ReviewRow`."""
    values = {name: value for name, value in filter_._asdict().items() if value is not None}
    build = partial(_page, tuple(sorted(values)))
    return load_page(db, page, _ORDERS[order], build, values)


class ReviewPreview(Protocol):
    """What the queue shows of the post of a review.

    categories: of its reports, separated by commas.
    """

    id: int
    beginning: str | None
    categories: str | None


_BEGINNING = 400
"""Characters of a post's source that are loaded for the queue."""
_PREVIEWS: Any = (
    select(
        Review.id,
        func.substr(func.coalesce(HeldPost.body, Reply.body, Topic.body), 1, _BEGINNING).label(
            "beginning"
        ),
        select(func.aggregate_strings(Report.category, _COMMA))
        .where(Report.review_id == Review.id)
        .scalar_subquery()
        .label("categories"),
    )
    .outerjoin(HeldPost, HeldPost.id == Review.held_post_id)
    .outerjoin(Reply, Reply.id == Review.reply_id)
    .outerjoin(Topic, Topic.id == Review.topic_id)
    .where(Review.id.in_(bindparam("ids", expanding=True)))
)


def previews(db: ReadConnection, ids: Sequence[int]) -> dict[int, ReviewPreview]:
    """Return the beginnings of the posts of reviews, and why they were reported, by review."""
    return {item.id: item for item in rows(db, _PREVIEWS, {"ids": ids})} if ids else {}


_NEXT: Any = (
    select(Review.id)
    .where(Review.state == ReviewState.OPEN, Review.id > bindparam("after"))
    .order_by(Review.id)
    .limit(1)
)


def next_open(db: ReadConnection, after: int) -> int | None:
    """Return the id of the open review that was opened next after one, or None."""
    result: Any = row(db, _NEXT, {"after": after})
    return None if result is None else int(result.id)


_WAITING: Any = select(
    func.count().label("open"), func.min(Review.opened_at).label("oldest_at")
).where(Review.state == ReviewState.OPEN)


def waiting(db: ReadConnection) -> tuple[int, datetime | None]:
    """Return how many reviews are open, and since when the oldest of them is."""
    result: Any = row(db, _WAITING, {})
    return int(result.open), result.oldest_at


_REPORTERS = (
    select(func.aggregate_strings(cast(Report.reporter_id, String), _COMMA))
    .where(Report.review_id == Review.id)
    .scalar_subquery()
)
_BY_ID: Any = _joined(select(*_COLUMNS, _REPORTERS.label("reporter_ids"))).where(
    Review.id == bindparam("id")
)
_LOCK: Any = with_row_locks(select(Review.id).where(Review.id == bindparam("id")), Review)


def by_id(db: ReadConnection, review_id: int, *, lock: bool = False) -> ReviewRow | None:
    """Return a review with `reporter_ids`, a text, or None. lock: until the transaction ends."""
    if lock:
        # PostgreSQL would read the reporters, in a subquery, as they were before the wait.
        row(db, _LOCK, {"id": review_id})
    return row(db, _BY_ID, {"id": review_id})


_RESTRICTIONS_COUNT: Any = select(func.count(Restriction.id).label("restrictions")).where(
    Restriction.user_id == bindparam("id")
)


def restrictions_count(db: ReadConnection, user_id: int) -> int:
    """Return how often a user was silenced or warned so far."""
    result: Any = row(db, _RESTRICTIONS_COUNT, {"id": user_id})
    return int(result.restrictions)
