"""Add indexes that find the texts rendered by another version of the renderer."""

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade to this revision."""
    for table in ("topics", "replies"):
        create_index(f"ix_{table}_markup_version_id", table, ["markup_version", "id"])


def downgrade() -> None:
    """Downgrade to the revision before."""
    for table in ("topics", "replies"):
        drop_index(f"ix_{table}_markup_version_id", table)
