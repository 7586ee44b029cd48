"""Keep texts that people have begun and not sent."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.create_table(
        "drafts",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("node_id", BIG_ID),
        sa.Column("form", sa.String(16)),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_drafts_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
        sa.UniqueConstraint("user_id", "key", name=op.f("uq_drafts_user_id_key")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_drafts_user_id_updated_at_id", "drafts", ["user_id", "updated_at", "id"])
    op.create_index("ix_drafts_updated_at", "drafts", ["updated_at"])


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_table("drafts")
