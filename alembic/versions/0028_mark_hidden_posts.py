"""Have the search index mark posts that are hidden, and add events that were put aside."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade to this revision."""
    # The background worker makes their tokens anew.
    op.execute(
        "INSERT INTO search_moved_topics (topic_id, last_reply_id)"
        " SELECT id, 0 FROM topics WHERE (banned_at IS NOT NULL OR deleted_at IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM replies WHERE replies.topic_id = topics.id"
        " AND replies.deleted_at IS NOT NULL))"
        " AND id NOT IN (SELECT topic_id FROM search_moved_topics)"
    )
    op.create_table(
        "failed_events",
        sa.Column("consumer", sa.String(length=40), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("consumer", "event_id", name=op.f("pk_failed_events")),
    )
    op.create_index("ix_failed_events_failed_at", "failed_events", ["failed_at"])


def downgrade() -> None:
    """Downgrade to the revision before; searches of that version find no posts by `@hidden`."""
    op.drop_table("failed_events")
