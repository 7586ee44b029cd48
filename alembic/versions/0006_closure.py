"""Let people close their account."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add when an account closes, and what becomes of the posts then."""
    op.add_column("users", sa.Column("closes_at", sa.DateTime(timezone=True)))
    op.add_column("users", sa.Column("closure_posts", sa.String(10)))
    create_index("ix_users_closes_at", "users", ["closes_at"], "closes_at IS NOT NULL")


def downgrade() -> None:
    """Drop them: accounts that were to be closed stay."""
    drop_index("ix_users_closes_at", "users")
    op.drop_column("users", "closure_posts")
    op.drop_column("users", "closes_at")
