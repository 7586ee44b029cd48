"""Record the first use of refreshed tokens, so that a lost response can be repeated."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade to this revision."""
    op.add_column("oauth_tokens", sa.Column("used_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Downgrade to the revision before."""
    op.drop_column("oauth_tokens", "used_at")
