"""Which service and which place the database belongs to: a copy sends nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# SQLite numbers rows only where the key is declared INTEGER.
BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table; the background worker fills it when it first sends something."""
    op.create_table(
        "deployment",
        sa.Column("id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("copied_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("id = 1", name=op.f("ck_deployment_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deployment")),
    )


def downgrade() -> None:
    """Forget it."""
    op.drop_table("deployment")
