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
    # They are there after an attempt that was stopped: making the index commits them.
    there = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("users")}
    columns = ("closes_at", sa.DateTime(timezone=True)), ("closure_posts", sa.String(10))
    for name, kind in columns:
        if name not in there:
            op.add_column("users", sa.Column(name, kind))
    create_index("ix_users_closes_at", "users", ["closes_at"], "closes_at IS NOT NULL")


def downgrade() -> None:
    """Drop them: accounts that were to be closed stay."""
    drop_index("ix_users_closes_at", "users")
    op.drop_column("users", "closure_posts")
    op.drop_column("users", "closes_at")
