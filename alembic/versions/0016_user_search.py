"""Add the indexes that find users by the beginning of their login or name."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade to this revision."""
    create_index("ix_users_name_key", "users", ["name_key"])
    if op.get_context().dialect.name == "postgresql":
        create_index("ix_users_login_key_bytes", "users", [sa.text('login_key COLLATE "C"')])


def downgrade() -> None:
    """Downgrade to the revision before."""
    drop_index("ix_users_login_key_bytes", "users")
    drop_index("ix_users_name_key", "users")
