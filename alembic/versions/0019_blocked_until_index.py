"""Add the index that finds the silences that have ended."""

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade to this revision."""
    where = "blocked_until IS NOT NULL"
    create_index("ix_users_blocked_until", "users", ["blocked_until"], where)


def downgrade() -> None:
    """Downgrade to the revision before."""
    drop_index("ix_users_blocked_until", "users")
