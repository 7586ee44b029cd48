"""Find the texts that another version of the renderer made without reading the tables."""

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this revision."""
    for table in ("topics", "replies"):
        create_index(f"ix_{table}_markup_version_id", table, ["markup_version", "id"])


def downgrade() -> None:
    """Take the schema back to the revision before."""
    for table in ("topics", "replies"):
        drop_index(f"ix_{table}_markup_version_id", table)
