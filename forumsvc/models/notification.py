"""Notifications of users about what other users did."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import (
    Base,
    BigId,
    PrimaryKey,
    Timestamp,
    UtcDateTime,
    one_of,
    open_word,
    partial_index,
)
from ..text.messages import Message
from .declarations import CONTENT, SECRET, SPECIAL, Export, by_column
from .mail import MailTopic


class NotificationType(StrEnum):
    """What happened."""

    TOPIC = "Topic"
    TOPIC_REPLY = "TopicReply"
    MENTION = "Mention"
    FOLLOW = "Follow"
    NODE_CHANGED = "NodeChanged"
    MODERATION = "Moderation"


class NotificationKind(NamedTuple):
    """The words for a type. words: what the actor did, before the title of the topic; choice: in
    the settings, None for what nobody can do without; many: of several notifications that are one
    group, before the title, None for a type of which each stands alone; unread: of several unread
    replies, for which one notification may stand; mail: what an email about it is about, None
    without one.
    """

    words: str
    choice: Message | None
    many: Message | None = None
    unread: Message | None = None
    mail: MailTopic | None = None


NOTIFICATION_KINDS = {
    NotificationType.TOPIC: NotificationKind(
        Message("opened the topic"),
        Message("Somebody whom I follow opens a topic"),
        mail=MailTopic.FOLLOW,
    ),
    NotificationType.TOPIC_REPLY: NotificationKind(
        Message("replied in"),
        Message("A reply in my topic, or in one that I follow"),
        Message("%(people)s replied in"),
        Message("%(num)d unread replies by %(people)s in"),
        MailTopic.REPLY,
    ),
    NotificationType.MENTION: NotificationKind(
        Message("mentioned you in"),
        Message("Somebody mentions me"),
        Message("%(num)d mentions of you by %(people)s in"),
        mail=MailTopic.MENTION,
    ),
    NotificationType.FOLLOW: NotificationKind(
        Message("follows you"), Message("Somebody follows me")
    ),
    NotificationType.NODE_CHANGED: NotificationKind(
        Message("moved your topic:"),
        Message("My topic is moved to another node"),
        mail=MailTopic.MODERATION,
    ),
    # Its words are those of the action, in `services.moderation.notices`.
    NotificationType.MODERATION: NotificationKind("", None, mail=MailTopic.MODERATION),
}


class MentionType(StrEnum):
    """The kind of text in which a user was mentioned."""

    TOPIC = "Topic"
    REPLY = "Reply"


class Notification(Base):
    """`user_id` is notified that `actor_id` did something."""

    __tablename__ = "notifications"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=SPECIAL, actor_id=SPECIAL)
    __export__ = Export(
        "notifications",
        "what you were told",
        "通知",
        "type actor_id mention_type topic_id reply_id node_id details read_at created_at",
    )

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    actor_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    type: Mapped[str] = open_word(NotificationType, 20)
    mention_type: Mapped[str | None] = mapped_column(String(10))
    topic_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("topics.id"))
    reply_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("replies.id"))
    node_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("nodes.id"))
    details: Mapped[str | None] = mapped_column(Text)
    """Of a MODERATION what was done and why, as a JSON object: `services.moderation.notices`."""
    read_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    mail_at: Mapped[datetime | None] = mapped_column(UtcDateTime, info=SECRET)
    """When an email about it is due; null: none is."""
    mailed_at: Mapped[datetime | None] = mapped_column(UtcDateTime, info=SECRET)
    """Up to when the last email that told of it tells what happened."""
    created_at: Mapped[Timestamp]
    updated_at: Mapped[Timestamp]

    __table_args__ = (
        one_of("mention_type", MentionType),
        Index("ix_notifications_user_id_id", "user_id", "id"),
        partial_index(
            "ix_notifications_unread_user_id_topic_id",
            "user_id",
            "topic_id",
            only="read_at IS NULL",
        ),
        partial_index("ix_notifications_mail_at", "mail_at", only="mail_at IS NOT NULL"),
        partial_index(
            "ix_notifications_mailed",
            "topic_id",
            only="mailed_at IS NOT NULL AND read_at IS NULL",
        ),
        Index("ix_notifications_topic_id", "topic_id"),
        Index("ix_notifications_reply_id", "reply_id"),
        Index("ix_notifications_node_id", "node_id"),
        {"sqlite_autoincrement": True},
    )
