"""Add the index by which the background worker finds reviews that were decided long ago."""

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade to this revision."""
    create_index("ix_reviews_resolved_at", "reviews", ["resolved_at"])


def downgrade() -> None:
    """Downgrade to the revision before."""
    drop_index("ix_reviews_resolved_at", "reviews")
