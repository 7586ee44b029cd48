"""Write down where each photo's file is, and list and delete photos by their owner."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

OWN = sa.text("avatar <> ''")


def upgrade() -> None:
    """Bring the schema to this revision. Rows that are there cannot know where their file is."""
    op.add_column("photos", sa.Column("storage", sa.String(length=10), nullable=True))
    op.create_index("ix_photos_user_id_id", "photos", ["user_id", "id"])
    op.create_index("ix_users_avatar", "users", ["avatar"], sqlite_where=OWN, postgresql_where=OWN)


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_index("ix_users_avatar", table_name="users")
    op.drop_index("ix_photos_user_id_id", table_name="photos")
    op.drop_column("photos", "storage")
