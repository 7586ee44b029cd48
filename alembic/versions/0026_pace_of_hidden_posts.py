"""Add the indexes that find the newest hidden posts of a user."""

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

TOPICS, REPLIES = "ix_topics_user_hidden", "ix_replies_user_deleted"


def upgrade() -> None:
    """Upgrade to this revision."""
    hidden = "deleted_at IS NOT NULL OR banned_at IS NOT NULL"
    create_index(TOPICS, "topics", ["user_id", "id"], hidden)
    create_index(REPLIES, "replies", ["user_id", "id"], "deleted_at IS NOT NULL")


def downgrade() -> None:
    """Downgrade to the revision before."""
    drop_index(REPLIES, "replies")
    drop_index(TOPICS, "topics")
