"""Loads users: one, the popular ones, followers, followed and blocked users."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Row,
    Select,
    Text,
    and_,
    bindparam,
    case,
    literal_column,
    or_,
    select,
    union,
)

from ..db.base import BigId
from ..db.execution import ReadConnection, row, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page, with_limit
from ..db.statements import with_row_locks
from ..models import (
    PROFILE_TEXTS,
    Reply,
    ReplyLike,
    Topic,
    TopicLike,
    User,
    UserBlock,
    UserFollow,
    UserState,
)
from ..search.normal_form import name_key
from ..text.ids import parse_id
from .rows import UserRow, UserSummaryRow, columns
from .user_columns import summary

_DETAIL_COLUMNS: tuple[Any, ...] = (
    *summary(),
    *columns(User, UserRow),
    *(getattr(User, text.name) for text in PROFILE_TEXTS),
)


_BY_ID: Any = select(*_DETAIL_COLUMNS).where(User.id == bindparam("id"))
_LOCKED_BY_ID = with_row_locks(_BY_ID, User)


def by_id(db: ReadConnection, user_id: int, *, lock: bool = False) -> UserRow | None:
    """Return a user, or None. lock: lock them until the transaction ends."""
    return row(db, _LOCKED_BY_ID if lock else _BY_ID, {"id": user_id})


_BY_LOGIN: Any = select(*_DETAIL_COLUMNS).where(User.login_key == bindparam("login_key"))


def by_login(db: ReadConnection, login: str) -> UserRow | None:
    """Return the user with this login, ignoring case, or None."""
    return row(db, _BY_LOGIN, {"login_key": login.lower()})


def id_of(db: ReadConnection, text: str) -> int | None:
    """Return the id of the user with this id or, ignoring case, this login; None without one."""
    user_id = parse_id(text)
    result = by_login(db, text) if user_id is None else by_id(db, user_id)
    return None if result is None else result.user_id


_OTHERS: Any = (
    select(User.id)
    .where(User.id != bindparam("id"), User.state != UserState.DELETED)
    .limit(literal_column("1"))
)


def has_others(db: ReadConnection, user_id: int) -> bool:
    """Return whether there are accounts beside one, those of invited people among them."""
    return row(db, _OTHERS, {"id": user_id}) is not None


_MOST_LOGINS = 50
_NEWEST: Any = (
    select(User.login)
    .where(User.state != UserState.DELETED)
    .order_by(User.id.desc())
    .limit(literal_column(str(_MOST_LOGINS)))
)


def newest_logins(db: ReadConnection) -> Sequence[str]:
    """Return the logins of those who came last, the newest first."""
    return [user.login for user in rows(db, _NEWEST, {})]


_BY_IDS: Any = select(*summary()).where(User.id.in_(bindparam("ids", expanding=True)))


def by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, UserSummaryRow]:
    """Return the users with these ids, deleted ones too, by id."""
    return {item.user_id: item for item in rows(db, _BY_IDS, {"ids": ids})} if ids else {}


_POPULAR: Any = with_limit(
    select(*summary())
    .where(User.state == UserState.ACTIVE)
    .order_by(User.replies_count.desc(), User.topics_count.desc(), User.created_at, User.id)
)


def popular(db: ReadConnection, limit: int) -> Sequence[UserSummaryRow]:
    """Return the active users with the most replies and topics."""
    return rows(db, _POPULAR, {"limit": limit})


class _Relation(NamedTuple):
    """A list of the users at the far end of a relation, newest first.

    near: the column of what the list belongs to; far: that of the users.
    """

    order: SortOrder
    near: Any
    far: Any


@cache
def _related(relation: _Relation, keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys, relation.far.label("other_id")).where(
        relation.near == bindparam("near_id")
    )
    page = keyset.apply(ids).subquery("page")
    statement = select(*summary(), page.c.relation_id).join(page, page.c.other_id == User.id)
    return statement.order_by(*keyset.order_by(page.c))


def _list(name: str, near: Any, far: Any) -> Callable[[ReadConnection, int, PageRequest], PageRows]:
    relation = _Relation(SortOrder(name, relation_id=near.class_.id), near, far)

    def load(db: ReadConnection, near_id: int, page: PageRequest) -> PageRows:
        build = partial(_related, relation)
        return load_page(db, page, relation.order, build, {"near_id": near_id})

    return load


# Pages of the users who follow a user, of those whom a user follows or blocks, and of those who
# like a post; the latest first.
followers_of = _list("followers", UserFollow.target_id, UserFollow.user_id)
followed_by = _list("following", UserFollow.user_id, UserFollow.target_id)
blocked_by = _list("blocked", UserBlock.user_id, UserBlock.target_id)
likers_of_topic = _list("topic_likers", TopicLike.topic_id, TopicLike.user_id)
likers_of_reply = _list("reply_likers", ReplyLike.reply_id, ReplyLike.user_id)


_MENTIONED: Any = select(User.id, User.login, User.login_key).where(
    User.login_key.in_(bindparam("keys", expanding=True)), User.state != UserState.DELETED
)


def mentioned(db: ReadConnection, logins: Sequence[str]) -> dict[str, Row[Any]]:
    """Return the users (id, login) with these logins, without deleted ones, by login_key."""
    keys = [login.lower() for login in logins]
    return {user.login_key: user for user in rows(db, _MENTIONED, {"keys": keys})}


_AFTER_ALL = "\U0010ffff"
"""Behind a text, the end of all texts that begin with it."""


@cache
def _beginning_with(dialect: str, *, for_viewer: bool, in_topic: bool) -> Select[Any]:
    begin, end = (bindparam(name, type_=Text) for name in ("begin", "end"))
    # The index of the bytes; SQLite compares bytes anyway.
    login = User.login_key.collate("C") if dialect == "postgresql" else User.login_key
    is_meant = or_(
        and_(login >= begin, login < end), and_(User.name_key >= begin, User.name_key < end)
    )
    first: list[Any] = []
    if for_viewer:
        viewer_id = bindparam("viewer_id", type_=BigId)
        followed = select(UserFollow.target_id).where(UserFollow.user_id == viewer_id)
        first.append(case((User.id.in_(followed), 0), else_=1))
    if in_topic:
        topic_id = bindparam("topic_id", type_=BigId)
        repliers = select(Reply.user_id).where(
            Reply.topic_id == topic_id, Reply.deleted_at.is_(None)
        )
        author = select(Topic.user_id).where(Topic.id == topic_id)
        first.append(case((User.id.in_(union(repliers, author)), 0), else_=1))
    statement: Select[Any] = with_limit(
        select(*summary())
        .where(User.state != UserState.DELETED, is_meant)
        .order_by(*first, User.replies_count.desc(), User.id)
    )
    return statement


def beginning_with(
    db: Connection, text: str, viewer_id: int | None, topic_id: int | None, limit: int
) -> Sequence[UserSummaryRow]:
    """Return the users whose login or name begins with a text, whatever the case.

    First those whom the viewer follows, then those who wrote in the topic, then by replies.
    """
    begin = name_key(text.removeprefix("@"))
    if not begin:
        return []
    statement = _beginning_with(
        db.dialect.name, for_viewer=viewer_id is not None, in_topic=topic_id is not None
    )
    values = {"begin": begin, "end": begin + _AFTER_ALL, "limit": limit}
    return rows(db, statement, {**values, "viewer_id": viewer_id, "topic_id": topic_id})
