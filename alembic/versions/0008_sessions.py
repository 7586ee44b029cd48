"""Name the browser of a session, so that people see where they are logged in."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the name; it is empty for sessions of before."""
    column = sa.Column("browser", sa.String(60), server_default="", nullable=False)
    op.add_column("browser_sessions", column)


def downgrade() -> None:
    """Drop it."""
    op.drop_column("browser_sessions", "browser")
