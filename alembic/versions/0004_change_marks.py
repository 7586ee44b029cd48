"""Add cache versions, which tell whether a cached page or an ETag is still valid."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade to this revision."""
    op.create_table(
        "change_marks",
        sa.Column("slot", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("lists", sa.BigInteger(), nullable=False),
        sa.Column("names", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("slot", name=op.f("pk_change_marks")),
    )
    op.add_column(
        "topics", sa.Column("version", sa.BigInteger(), server_default="0", nullable=False)
    )


def downgrade() -> None:
    """Downgrade to the revision before."""
    op.drop_column("topics", "version")
    op.drop_table("change_marks")
