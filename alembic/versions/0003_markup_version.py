"""Find the texts that another version of the renderer made without reading the tables."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this revision."""
    for table in ("topics", "replies"):
        op.create_index(op.f(f"ix_{table}_markup_version_id"), table, ["markup_version", "id"])


def downgrade() -> None:
    """Take the schema back to the revision before."""
    for table in ("topics", "replies"):
        op.drop_index(op.f(f"ix_{table}_markup_version_id"), table_name=table)
