"""Likes, follows, favorites, blocks, mutes: one row for each pair, with ids in the order of time.

The index of a list also holds the other end, so that a page is selected without reading the rows.
"""

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp
from .declarations import CONTENT, DELETE, SPECIAL, Export, by_column


class _OfUser:
    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    created_at: Mapped[Timestamp] = mapped_column(sort_order=2)


class _ToTopic(_OfUser):
    topic_id: Mapped[int] = mapped_column(BigId, ForeignKey("topics.id"), sort_order=1)


class _ToUser(_OfUser):
    target_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"), sort_order=1)


class TopicLike(_ToTopic, Base):
    """A user likes a topic."""

    __tablename__ = "topic_likes"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=SPECIAL)
    __export__ = Export("liked_topics", "what you like, with the time", "赞", "topic_id created_at")
    __table_args__ = (
        UniqueConstraint("user_id", "topic_id"),
        Index("ix_topic_likes_topic_id", "topic_id"),
    )


class ReplyLike(_OfUser, Base):
    """A user likes a reply."""

    __tablename__ = "reply_likes"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=SPECIAL)
    __export__ = Export("liked_replies", "", "赞", "reply_id created_at")

    reply_id: Mapped[int] = mapped_column(BigId, ForeignKey("replies.id"), sort_order=1)

    __table_args__ = (
        UniqueConstraint("user_id", "reply_id"),
        Index("ix_reply_likes_reply_id", "reply_id"),
    )


class TopicFollow(_ToTopic, Base):
    """A user wants notifications of new replies to a topic."""

    __tablename__ = "topic_follows"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=DELETE)
    __export__ = Export("followed_topics", "what you follow", "关注", "topic_id created_at")
    __table_args__ = (
        UniqueConstraint("user_id", "topic_id"),
        Index("ix_topic_follows_topic_id_user_id", "topic_id", "user_id"),
    )


class Favorite(_ToTopic, Base):
    """A topic is a favorite of a user."""

    __tablename__ = "favorites"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=SPECIAL)
    __export__ = Export("favorites", "your favorites", "收藏", "topic_id created_at")
    __table_args__ = (
        UniqueConstraint("user_id", "topic_id"),
        Index("ix_favorites_user_id_id_topic_id", "user_id", "id", "topic_id"),
        Index("ix_favorites_topic_id", "topic_id"),
    )


class UserFollow(_ToUser, Base):
    """`user_id` follows `target_id`."""

    __tablename__ = "user_follows"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=SPECIAL, target_id=SPECIAL)
    __export__ = Export("followed_users", "", "关注")
    __table_args__ = (
        UniqueConstraint("user_id", "target_id"),
        Index("ix_user_follows_user_id_id_target_id", "user_id", "id", "target_id"),
        Index("ix_user_follows_target_id_id_user_id", "target_id", "id", "user_id"),
        Index("ix_user_follows_target_id_user_id", "target_id", "user_id"),
    )


class UserBlock(_ToUser, Base):
    """`user_id` wants neither topics nor notifications of `target_id`."""

    __tablename__ = "user_blocks"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=DELETE, target_id=DELETE)
    __export__ = Export("blocked_users", "whom you block", "屏蔽")
    __table_args__ = (
        UniqueConstraint("user_id", "target_id"),
        Index("ix_user_blocks_user_id_id_target_id", "user_id", "id", "target_id"),
        Index("ix_user_blocks_target_id", "target_id"),
    )


class NodeMute(_OfUser, Base):
    """A user wants no topics of a node in the list of the forum."""

    __tablename__ = "node_mutes"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=DELETE)
    __export__ = Export("muted_nodes", "the nodes that you mute", "静音", "node_id created_at")

    node_id: Mapped[int] = mapped_column(
        BigId, ForeignKey("nodes.id", ondelete="CASCADE"), sort_order=1
    )

    __table_args__ = (
        UniqueConstraint("user_id", "node_id"),
        Index("ix_node_mutes_node_id", "node_id"),
    )


class FollowNotification(Base):
    """`target_id` was notified that `user_id` follows them, which happens only once."""

    __tablename__ = "follow_notices"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=DELETE, target_id=DELETE)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"), primary_key=True)
    target_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"), primary_key=True)
    created_at: Mapped[Timestamp]

    __table_args__ = (Index("ix_follow_notices_target_id", "target_id"),)
