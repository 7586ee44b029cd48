"""Add the index that finds the accounts whose email address nobody has confirmed."""

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade to this revision."""
    where = "email IS NOT NULL AND email_confirmed_at IS NULL"
    create_index("ix_users_unconfirmed", "users", ["created_at"], where)


def downgrade() -> None:
    """Downgrade to the revision before."""
    drop_index("ix_users_unconfirmed", "users")
