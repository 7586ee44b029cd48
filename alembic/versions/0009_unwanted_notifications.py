"""Let people choose of which kinds of notifications they get none."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the kinds that a user does not want; everybody has had all."""
    column = sa.Column("unwanted_notifications", sa.Text(), server_default="", nullable=False)
    op.add_column("users", column)


def downgrade() -> None:
    """Drop them."""
    op.drop_column("users", "unwanted_notifications")
