"""Who likes, follows, favours or blocks what: a row a pair, numbered in the order of time.

The index of a list holds the other end, too, so that a page is cut out without a look at the rows.
"""

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp


class TopicLike(Base):
    """A user likes a topic."""

    __tablename__ = "topic_likes"

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    topic_id: Mapped[int] = mapped_column(BigId, ForeignKey("topics.id"))
    created_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("user_id", "topic_id"),
        Index("ix_topic_likes_topic_id", "topic_id"),
    )


class ReplyLike(Base):
    """A user likes a reply."""

    __tablename__ = "reply_likes"

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    reply_id: Mapped[int] = mapped_column(BigId, ForeignKey("replies.id"))
    created_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("user_id", "reply_id"),
        Index("ix_reply_likes_reply_id", "reply_id"),
    )


class TopicFollow(Base):
    """A user wants to hear of new replies in a topic."""

    __tablename__ = "topic_follows"

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    topic_id: Mapped[int] = mapped_column(BigId, ForeignKey("topics.id"))
    created_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("user_id", "topic_id"),
        Index("ix_topic_follows_topic_id_user_id", "topic_id", "user_id"),
    )


class Favorite(Base):
    """A user keeps a topic."""

    __tablename__ = "favorites"

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    topic_id: Mapped[int] = mapped_column(BigId, ForeignKey("topics.id"))
    created_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("user_id", "topic_id"),
        Index("ix_favorites_user_id_id_topic_id", "user_id", "id", "topic_id"),
        Index("ix_favorites_topic_id", "topic_id"),
    )


class UserFollow(Base):
    """`user_id` follows `target_id`."""

    __tablename__ = "user_follows"

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    target_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    created_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("user_id", "target_id"),
        Index("ix_user_follows_user_id_id_target_id", "user_id", "id", "target_id"),
        Index("ix_user_follows_target_id_id_user_id", "target_id", "id", "user_id"),
        Index("ix_user_follows_target_id_user_id", "target_id", "user_id"),
    )


class UserBlock(Base):
    """`user_id` does not want to see or hear of `target_id`."""

    __tablename__ = "user_blocks"

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    target_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    created_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("user_id", "target_id"),
        Index("ix_user_blocks_user_id_id_target_id", "user_id", "id", "target_id"),
        Index("ix_user_blocks_target_id", "target_id"),
    )


class FollowNotice(Base):
    """`target_id` was told that `user_id` follows: once, whatever becomes of the follow."""

    __tablename__ = "follow_notices"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"), primary_key=True)
    target_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"), primary_key=True)
    created_at: Mapped[Timestamp]

    __table_args__ = (Index("ix_follow_notices_target_id", "target_id"),)
