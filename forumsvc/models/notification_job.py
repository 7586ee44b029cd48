"""Followers who are notified after the commit of a post: what is left to do."""

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, one_of
from .notification import NotificationType

_TYPES = (NotificationType.TOPIC, NotificationType.TOPIC_REPLY)


class NotificationJob(Base):
    """`actor_id` wrote a topic, or a reply to one, and not all followers are notified of it yet.

    next_user_id: the followers from this id of a user on are left; excluded_ids: those among them
    who were notified with the post, or are to hear nothing; created_at: when the post was written.
    """

    __tablename__ = "notification_jobs"

    id: Mapped[PrimaryKey]
    type: Mapped[str] = mapped_column(String(20))
    actor_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    topic_id: Mapped[int] = mapped_column(BigId, ForeignKey("topics.id"))
    reply_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("replies.id"))
    excluded_ids: Mapped[list[int]] = mapped_column(JSON)
    next_user_id: Mapped[int] = mapped_column(BigId)
    created_at: Mapped[Timestamp]

    __table_args__ = (
        one_of("type", "type", _TYPES),
        # Not of the position: an UPDATE of a column without an index touches no index.
        Index("ix_notification_jobs_topic_id", "topic_id"),
        {"sqlite_autoincrement": True},
    )
