"""Remember when and from which network a session of a browser was last used."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.add_column("browser_sessions", sa.Column("last_used_at", sa.DateTime(timezone=True)))
    network = sa.Column("network", sa.String(43), server_default="", nullable=False)
    op.add_column("browser_sessions", network)


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_column("browser_sessions", "network")
    op.drop_column("browser_sessions", "last_used_at")
