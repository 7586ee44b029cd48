"""Record the storage of each photo's file, and index photos by their owner."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

OWN = "avatar <> ''"


def upgrade() -> None:
    """Upgrade to this revision. In existing rows the storage is unknown."""
    create_index("ix_photos_user_id_id", "photos", ["user_id", "id"])
    create_index("ix_users_avatar", "users", ["avatar"], OWN)
    op.add_column("photos", sa.Column("storage", sa.String(length=10), nullable=True))


def downgrade() -> None:
    """Downgrade to the revision before."""
    drop_index("ix_users_avatar", "users")
    drop_index("ix_photos_user_id_id", "photos")
    op.drop_column("photos", "storage")
