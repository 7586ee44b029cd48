"""What an email about a topic tells a user: what is due, unread and visible to them by now."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, and_, func, or_, select, union
from sqlalchemy.orm import aliased

from ..db.execution import SqlConnection
from ..models import (
    Node,
    NodeMute,
    Notification,
    NotificationType,
    Reply,
    Topic,
    TopicFollow,
    TopicRead,
    User,
    UserBlock,
    UserState,
)
from ..models.mail import MailTopic
from .topics import VISIBLE
from .user_columns import summary

MOST_REPLIES = 20
"""So many replies are shown; of the others the number."""
MOST_TOPICS = 10
_actor = aliased(User, name="actor")


class Recipient(NamedTuple):
    """Who gets an email. email: confirmed and not refused, None without one; choices: `MailPace`
    by `MailTopic`.
    """

    id: int
    login: str
    email: str | None
    locale: str | None
    choices: dict[str, str]


def recipient(db: SqlConnection, user_id: int) -> Recipient | None:
    """Return a user who is not deleted."""
    choices = [getattr(User, f"mail_{about}").label(about) for about in MailTopic]
    columns: list[Any] = [
        *(User.id, User.login, User.email, User.email_confirmed_at),
        *(User.mail_refused_at, User.locale, *choices),
    ]
    who = select(*columns).where(User.id == user_id, User.state != UserState.DELETED)
    row = db.execute(who).one_or_none()
    if row is None:
        return None
    chosen = {str(about): str(getattr(row, about)) for about in MailTopic}
    is_reached = row.email_confirmed_at is not None and row.mail_refused_at is None
    email = row.email if is_reached else None
    return Recipient(row.id, row.login, email, row.locale, chosen)


def of_topic(user_id: int, topic_id: int | None) -> tuple[ColumnElement[bool], ...]:
    """Return the condition for what a user is notified of in a topic, or in none."""
    # `==` of None is IS NULL.
    return (Notification.user_id == user_id, Notification.topic_id == topic_id)


def up_to(until_id: int, until: datetime) -> tuple[ColumnElement[bool], ...]:
    """Return the condition for notifications that an email may tell of.

    until_id: the newest of them; until: when the last thing happened that it tells.
    """
    return (Notification.id <= until_id, Notification.created_at <= until)


def due(
    db: SqlConnection, user_id: int, topic_id: int | None, *, until_id: int, until: datetime
) -> Sequence[Row[Any]]:
    """Return the notifications that an email tells of, the oldest first, with what they are about.

    until_id, until: as in `up_to`.
    """
    conditions = [
        *(*of_topic(user_id, topic_id), *up_to(until_id, until)),
        *(Notification.mail_at.is_not(None), *_unread(user_id)),
    ]
    return db.execute(_selected().where(*conditions).order_by(Notification.id)).all()


def _unread(user_id: int) -> tuple[ColumnElement[bool], ...]:
    """Return the condition for what a user has not read, may see, and still follows."""
    is_visible = or_(
        Notification.type == NotificationType.MODERATION,
        Notification.topic_id.is_(None),
        and_(*VISIBLE, or_(Notification.reply_id.is_(None), Reply.deleted_at.is_(None))),
    )
    blocked = select(UserBlock.target_id).where(UserBlock.user_id == user_id)
    is_reply = Notification.type == NotificationType.TOPIC_REPLY
    is_wanted = or_(~is_reply, Topic.user_id == user_id, follows())
    is_of_others = Notification.actor_id.not_in(blocked)
    return (Notification.read_at.is_(None), is_visible, is_of_others, is_wanted)


def follows() -> ColumnElement[bool]:
    """Return the condition that the user of a notification follows its topic."""
    pair = (TopicFollow.user_id == Notification.user_id, TopicFollow.topic_id == Topic.id)
    return select(TopicFollow.user_id).where(*pair).exists()


def _selected() -> Select[Any]:
    """Return the SELECT of notifications with what they are about."""
    columns: list[Any] = [
        *(Notification.id, Notification.type, Notification.topic_id, Notification.reply_id),
        *(Notification.details, Notification.created_at),
        *(Notification.mail_at, Notification.mailed_at),
        *summary(_actor, "actor"),
        *(Topic.title, Topic.body.label("topic_body"), Reply.body.label("reply_body")),
        Node.name.label("node_name"),
    ]
    return (
        select(*columns)
        .join(_actor, _actor.id == Notification.actor_id)
        .outerjoin(Topic, Topic.id == Notification.topic_id)
        .outerjoin(Reply, Reply.id == Notification.reply_id)
        .outerjoin(Node, Node.id == Notification.node_id)
    )


def unread(
    db: SqlConnection, user_id: int, *, until_id: int, after: datetime, until: datetime
) -> Sequence[Row[Any]]:
    """Return the newest notifications of which no email has told, or will tell; `total` is how many
    there are. until_id, until: as in `up_to`; after: only later ones.
    """
    # A follower has one for all replies; who opened the topic, one for each.
    has_more = and_(
        *(Notification.type == NotificationType.TOPIC_REPLY, Topic.user_id != user_id),
        Topic.replied_at > Notification.mailed_at,
    )
    conditions = (
        *(Notification.user_id == user_id, Notification.created_at > after),
        *up_to(until_id, until),
        *(Notification.mail_at.is_(None), or_(Notification.mailed_at.is_(None), has_more)),
        *_unread(user_id),
    )
    total = func.count().over().label("total")
    query = _selected().add_columns(total).where(*conditions).order_by(Notification.id.desc())
    return db.execute(query.limit(MOST_REPLIES)).all()


def new_topics(
    db: SqlConnection, user_id: int, *, since: datetime, until: datetime, read_since: datetime
) -> Sequence[Row[Any]]:
    """Return at most `MOST_TOPICS` new topics of nodes that a user reads, the newest first.

    since, until: between which they were opened; read_since: who has opened, written, answered or
    followed something in a node since then reads it. Not the user's own, those that they have
    opened, nor those of nodes and people whom they do not want.
    """
    by_user: list[Any] = [
        select(Topic.node_id).where(Topic.user_id == user_id, Topic.created_at >= read_since),
        *(
            select(Topic.node_id)
            .join(model, model.topic_id == Topic.id)
            .where(model.user_id == user_id, moment >= read_since)
            for model, moment in (
                (Reply, Reply.created_at),
                (TopicFollow, TopicFollow.created_at),
                (TopicRead, TopicRead.read_at),
            )
        ),
    ]
    nodes = db.scalars(union(*by_user)).all()
    muted = select(NodeMute.node_id).where(NodeMute.user_id == user_id)
    blocked = select(UserBlock.target_id).where(UserBlock.user_id == user_id)
    opened = select(TopicRead.topic_id).where(TopicRead.user_id == user_id)
    columns: list[Any] = [Topic.id, Topic.title, *summary(_actor, "actor")]
    query = (
        select(*columns)
        .join(_actor, _actor.id == Topic.user_id)
        .where(
            *(Topic.created_at > since, Topic.created_at <= until, *VISIBLE),
            *(Topic.user_id != user_id, Topic.node_id.not_in(muted), Topic.id.not_in(opened)),
            *(Topic.user_id.not_in(blocked), Topic.node_id.in_(nodes)),
        )
    )
    newest = query.order_by(Topic.created_at.desc(), Topic.id.desc())
    return db.execute(newest.limit(MOST_TOPICS)).all()


def replies(
    db: SqlConnection,
    user_id: int,
    topic_id: int,
    *,
    from_id: int,
    after: datetime | None,
    until: datetime,
) -> Sequence[Row[Any]]:
    """Return replies that a user may not have read, the oldest first, and as `total` how many.

    One notification may stand for all of them. from_id: the first one; after: only later ones;
    until: only earlier ones. Not the user's own, and none of whom they block.
    """
    read = select(TopicRead.last_reply_id).where(
        TopicRead.user_id == user_id, TopicRead.topic_id == topic_id
    )
    blocked = select(UserBlock.target_id).where(UserBlock.user_id == user_id)
    conditions = [
        *(Reply.topic_id == topic_id, Reply.id >= from_id, Reply.deleted_at.is_(None)),
        *(Reply.user_id != user_id, Reply.user_id.not_in(blocked), Reply.created_at <= until),
        Reply.id > func.coalesce(read.scalar_subquery(), 0),
    ]
    if after is not None:
        conditions.append(Reply.created_at > after)
    columns: list[Any] = [
        *(Reply.id, Reply.body, func.count().over().label("total")),
        *summary(_actor, "actor"),
    ]
    query = select(*columns).join(_actor, _actor.id == Reply.user_id).where(*conditions)
    return db.execute(query.order_by(Reply.id).limit(MOST_REPLIES)).all()
