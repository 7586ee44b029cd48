"""Jobs that notify the followers of a post after its commit."""

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, one_of
from .notification import NotificationType

_TYPES = (NotificationType.TOPIC, NotificationType.TOPIC_REPLY)


class NotificationJob(Base):
    """`actor_id` wrote a topic, or a reply to one, and not all followers are notified of it yet.

    next_user_id: followers with this user id or a higher one are still to be notified;
    excluded_ids: except these, who were notified with the post or are not to be notified at all;
    created_at: the time of the post.
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
        # None on next_user_id, because its UPDATEs would have to change the index.
        Index("ix_notification_jobs_topic_id", "topic_id"),
        {"sqlite_autoincrement": True},
    )
