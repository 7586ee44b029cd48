"""Know whether the answer to a refresh was used, so that a lost one can be given again."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.add_column("oauth_tokens", sa.Column("used_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_column("oauth_tokens", "used_at")
