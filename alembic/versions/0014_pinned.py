"""Let moderators pin topics."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0014"
down_revision = "0001"
branch_labels = None
depends_on = None

_PINNED = "pinned_at IS NOT NULL AND deleted_at IS NULL AND banned_at IS NULL"


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.add_column("topics", sa.Column("pinned_at", sa.DateTime(timezone=True)))
    create_index("ix_topics_pinned", "topics", ["pinned_at", "id"], _PINNED)


def downgrade() -> None:
    """Take the schema back to the revision before."""
    drop_index("ix_topics_pinned", "topics")
    op.drop_column("topics", "pinned_at")
