"""An index that finds the maintainers and admins: pages mark their posts."""

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create it."""
    create_index("ix_users_staff", "users", ["role", "id"], "role IN ('admin', 'maintainer')")


def downgrade() -> None:
    """Drop it."""
    drop_index("ix_users_staff", "users")
