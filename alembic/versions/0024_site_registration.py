"""Let administrators say who may sign up."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this revision."""
    column = sa.Column("registration", sa.Text(), server_default="", nullable=False)
    op.add_column("site_texts", column)


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_column("site_texts", "registration")
