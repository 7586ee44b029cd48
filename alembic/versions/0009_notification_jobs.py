"""Notify many followers after the commit of a post, in batches by the ids of users."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
UNREAD = "read_at IS NULL"


def upgrade() -> None:
    """Upgrade to this revision."""
    create_index("ix_user_follows_target_id_user_id", "user_follows", ["target_id", "user_id"])
    create_index("ix_topic_follows_topic_id_user_id", "topic_follows", ["topic_id", "user_id"])
    _create_unread("ix_notifications_unread_user_id_topic_id", ["user_id", "topic_id"])
    drop_index("ix_topic_follows_topic_id", "topic_follows")
    drop_index("ix_notifications_unread", "notifications")
    op.create_table(
        "notification_jobs",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("type", sa.String(length=20), nullable=False),
        sa.Column("actor_id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("reply_id", BIG_ID, nullable=True),
        sa.Column("excluded_ids", sa.JSON(), nullable=False),
        sa.Column("next_user_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "type IN ('Topic', 'TopicReply')", name=op.f("ck_notification_jobs_type")
        ),
        sa.ForeignKeyConstraint(
            ["actor_id"], ["users.id"], name=op.f("fk_notification_jobs_actor_id")
        ),
        sa.ForeignKeyConstraint(
            ["reply_id"], ["replies.id"], name=op.f("fk_notification_jobs_reply_id")
        ),
        sa.ForeignKeyConstraint(
            ["topic_id"], ["topics.id"], name=op.f("fk_notification_jobs_topic_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_jobs")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_notification_jobs_topic_id", "notification_jobs", ["topic_id"])


def downgrade() -> None:
    """Downgrade to the revision before; pending jobs are lost."""
    _create_unread("ix_notifications_unread", ["user_id"])
    create_index("ix_topic_follows_topic_id", "topic_follows", ["topic_id"])
    drop_index("ix_notifications_unread_user_id_topic_id", "notifications")
    drop_index("ix_topic_follows_topic_id_user_id", "topic_follows")
    drop_index("ix_user_follows_target_id_user_id", "user_follows")
    op.drop_table("notification_jobs")


def _create_unread(name: str, columns: list[str]) -> None:
    create_index(name, "notifications", columns, UNREAD)
