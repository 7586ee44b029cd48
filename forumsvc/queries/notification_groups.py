"""Loads a user's notifications in groups: all mentions of a topic are one, and all its replies.

A group is made of all notifications of the user, not of those of a page. Cursors name the newest
notification of the first page, too: what came later is in no group of the pages after it, so no
group moves from one page to another while somebody goes through them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    cast,
    column,
    func,
    literal_column,
    over,
    select,
)
from sqlalchemy.orm import aliased

from ..db.cursors import Cursor
from ..db.execution import ReadConnection, rows
from ..db.keyset_paging import Cursors, KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import Notification, NotificationType, User
from ..text.ids import MAX_ID, known_ids
from . import topic_reads, topics
from .notifications import Filter, Shape
from .rows import ActorNotificationRow, NotificationRow, TopicListRow, UserSummaryRow, columns
from .topic_reads import UnreadReplies
from .user_columns import summary

MAX_ACTORS = 3
MAX_IDS = 1000
"""So many of a group's ids are listed: as many as one call marks as read."""
_GROUPED = (NotificationType.TOPIC_REPLY, NotificationType.MENTION)
_RECENT = 1000
"""So many of the newest notifications have the groups of most pages that are asked for."""
_ORDER = SortOrder("latest", latest=column("latest", BigInteger))
_CURSORS = SortOrder("notification_groups", newest=Notification.id, latest=Notification.id)
_Subject = tuple[str, int | None]
"""The type and the topic of a group."""


@dataclass(frozen=True, slots=True)
class NotificationGroup:
    """A group. latest: the newest notification, with its actor.

    ids: of the newest `MAX_IDS`, newest first; actors: different ones, the newest three, newest
    first; actors_count: of all; first_unread_reply_id: what the oldest unread one tells of, None
    without one; unread_replies: what the user has not read in the topic, of a group of replies that
    has an unread notification; None where that is nothing, or they have no place there.
    """

    latest: ActorNotificationRow
    count: int
    unread_count: int
    first_unread_reply_id: int | None
    actors: Sequence[UserSummaryRow]
    actors_count: int
    ids: Sequence[int]
    unread_replies: UnreadReplies | None = None


@dataclass(frozen=True, slots=True)
class GroupPage:
    """A page of groups, and the topics that they are about, by id.

    newest: the newest notification that the first page showed, None without one.
    """

    groups: Sequence[NotificationGroup]
    topics: Mapping[int, TopicListRow]
    newest: int | None
    cursors: Cursors


def _is_grouped(of: Any) -> ColumnElement[bool]:
    types: list[ColumnElement[str]] = [literal_column(f"'{name}'") for name in _GROUPED]
    return and_(of.type.in_(types), of.topic_id.is_not(None))


def _chosen(shape: Shape, *columns: Any) -> Select[Any]:
    up_to_newest = Notification.id <= bindparam("newest")
    return select(*columns).where(*shape.conditions(), up_to_newest)


def group_key(of: Any) -> Any:
    """Return what the notifications of a group have in common, beside their type."""
    # Others stand alone: no topic has a negative id.
    return case((_is_grouped(of), of.topic_id), else_=-of.id)


@cache
def _page(shape: Shape, only_recent: bool, keyset: KeysetPage) -> Select[Any]:
    chosen = _chosen(shape, Notification.id, Notification.type, Notification.topic_id)
    if only_recent:
        chosen = chosen.order_by(Notification.id.desc()).limit(literal_column(str(_RECENT)))
    of = chosen.subquery("chosen").c
    latest = func.max(of.id)
    of_all = (
        func.max(latest).over().label("newest"),
        func.sum(func.count()).over().label("chosen_count"),
    )
    grouped = (
        select(latest.label("latest"), *of_all).group_by(of.type, group_key(of)).subquery("grouped")
    )
    counted = grouped.c.newest, grouped.c.chosen_count
    page = keyset.apply(select(*keyset.order.keys, *counted)).subquery("page")
    shown = page.c.latest, page.c.newest, page.c.chosen_count
    return (
        select(*columns(Notification, NotificationRow), *summary(), *shown)
        .join(page, page.c.latest == Notification.id)
        .join(User, User.id == Notification.actor_id)
        .order_by(*keyset.order_by(page.c))
    )


def _members(shape: Shape, *columns: Any) -> Select[Any]:
    of_topics = Notification.topic_id.in_(bindparam("topic_ids", expanding=True))
    return _chosen(shape, *columns).where(_is_grouped(Notification), of_topics)


@cache
def _newest_ids(shape: Shape) -> Select[Any]:
    """Return the SELECT of the newest ids of groups, newest first."""
    subject: list[Any] = [Notification.type, Notification.topic_id]
    rank = func.row_number().over(partition_by=subject, order_by=Notification.id.desc())
    ranked = _members(shape, Notification.id, *subject, rank.label("rank")).subquery("ranked").c
    newest = select(ranked.id, ranked.type, ranked.topic_id)
    return newest.where(ranked.rank <= bindparam("most_ids")).order_by(ranked.id.desc())


@cache
def _totals(shape: Shape) -> Select[Any]:
    """Return the SELECT of the newest actors of groups, newest first, each with the counts.

    They are counted there, for a group may have any number of notifications.
    """
    unread_id = case((Notification.read_at.is_(None), Notification.id))
    grouped: tuple[Any, ...] = (Notification.type, Notification.topic_id, Notification.actor_id)
    numbers = (
        func.max(Notification.id).label("latest"),
        func.count().label("count"),
        func.count(unread_id).label("unread_count"),
        func.min(unread_id).label("first_unread_id"),
    )
    of = _members(shape, *grouped, *numbers).group_by(*grouped).subquery("of_actor").c
    of_group = partial(over, partition_by=[of.type, of.topic_id])
    ranked = select(
        of.type,
        of.topic_id,
        of.actor_id,
        of_group(func.row_number(), order_by=of.latest.desc()).label("rank"),
        of_group(func.count()).label("actors_count"),
        *(
            cast(of_group(func.sum(of[name])), BigInteger).label(name)
            for name in ("count", "unread_count")
        ),
        of_group(func.min(of.first_unread_id)).label("first_unread_id"),
    ).subquery("ranked")
    first_unread = aliased(Notification)
    shown: tuple[Any, ...] = (
        *(column for column in ranked.c if column.key != "actor_id"),
        first_unread.reply_id.label("first_unread_reply_id"),
        *summary(),
    )
    return (
        select(*shown)
        .join_from(ranked, User, User.id == ranked.c.actor_id)
        .outerjoin(first_unread, first_unread.id == ranked.c.first_unread_id)
        .where(ranked.c.rank <= literal_column(str(MAX_ACTORS)))
        .order_by(ranked.c.rank)
    )


def page_of(
    db: ReadConnection,
    user_id: int,
    page: PageRequest,
    only: Filter = Filter(),  # noqa: B008
) -> GroupPage:
    """Return a page of the groups of a user's notifications, or of those that `only` chooses.

    The group with the newest notification is the first one. Four SELECTs; where replies are unread
    one more, and where the newest notifications do not have all groups of the page.
    """
    before, after = _position(page.before, "before"), _position(page.after, "after")
    walk = before or after
    values = {**only.parameters(user_id), "newest": walk[0] if walk else MAX_ID}
    part = replace(page, before=before and _inner(before), after=after and _inner(after))
    result, cursors = PageRows((), Cursors(None, None))
    if before is None:
        build = partial(_page, only.shape, True)
        result, cursors = load_page(db, part, _ORDER, build, values)
    if result:
        are_all = result[0].chosen_count < _RECENT
    else:
        are_all = before is None and after is None and not page.offset
    if cursors.after is None and not are_all:
        build = partial(_page, only.shape, False)
        result, cursors = load_page(db, part, _ORDER, build, values)
    if result and walk is None:
        values["newest"] = result[0].newest
    newest = values["newest"]
    return GroupPage(
        _with_unread_replies(db, user_id, _groups(db, only.shape, result, values)),
        topics.by_ids(db, known_ids(row.topic_id for row in result)),
        newest if result else None,
        Cursors(*(cursor and _outer(newest, cursor) for cursor in cursors)),
    )


def _position(cursor: Cursor | None, parameter: str) -> tuple[int, int] | None:
    """Return the newest notification of all pages, and of the group at the position."""
    if cursor is None:
        return None
    key = _CURSORS.values(cursor, parameter)
    return key["key_0"], key["key_1"]


def _inner(position: tuple[int, int]) -> Cursor:
    return Cursor(_ORDER.name, position[1:])


def _outer(newest: int, cursor: Cursor) -> Cursor:
    return Cursor(_CURSORS.name, (newest, *cursor.key))


def _groups(
    db: ReadConnection, shape: Shape, latest: Sequence[Any], values: Mapping[str, Any]
) -> list[NotificationGroup]:
    """Return the groups with these newest notifications."""
    topic_ids = known_ids(row.topic_id for row in latest if row.type in _GROUPED)
    ids: defaultdict[_Subject, list[int]] = defaultdict(list)
    actors: defaultdict[_Subject, list[Any]] = defaultdict(list)
    if topic_ids:
        values = {**values, "topic_ids": topic_ids}
        for member in rows(db, _newest_ids(shape), {**values, "most_ids": MAX_IDS}):
            ids[member.type, member.topic_id].append(member.id)
        for actor in rows(db, _totals(shape), values):
            actors[actor.type, actor.topic_id].append(actor)
    groups = []
    for row in latest:
        subject = row.type, row.topic_id
        if subject not in actors:
            groups.append(_alone(row))
            continue
        totals = actors[subject][0]
        groups.append(
            NotificationGroup(
                latest=row,
                count=totals.count,
                unread_count=totals.unread_count,
                first_unread_reply_id=totals.first_unread_reply_id,
                actors=actors[subject],
                actors_count=totals.actors_count,
                ids=ids[subject],
            )
        )
    return groups


def _with_unread_replies(
    db: ReadConnection, user_id: int, groups: Sequence[NotificationGroup]
) -> list[NotificationGroup]:
    """Return the groups with what is unread in their topics.

    A follower has one notification for any number of replies, until they read it.
    """
    ids = known_ids(group.latest.topic_id for group in groups if _has_unread_reply(group))
    unread = topic_reads.unread_replies(db, user_id, ids)
    return [
        replace(group, unread_replies=unread.get(group.latest.topic_id or 0))
        if _has_unread_reply(group)
        else group
        for group in groups
    ]


def _has_unread_reply(group: NotificationGroup) -> bool:
    return group.unread_count > 0 and group.latest.type == NotificationType.TOPIC_REPLY


def _alone(row: Any) -> NotificationGroup:
    is_unread = row.read_at is None
    first_unread = row.reply_id if is_unread else None
    return NotificationGroup(row, 1, int(is_unread), first_unread, [row], 1, [row.id])
