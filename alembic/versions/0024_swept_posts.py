"""Add the posts that sweeps hid, and the texts that were reported."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Upgrade to this revision."""
    op.create_table(
        "swept_posts",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("sweep_id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("reply_id", BIG_ID, nullable=True),
        sa.Column("hidden_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["sweep_id"], ["sweeps.id"], name=op.f("fk_swept_posts_sweep_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_swept_posts_topic_id")),
        sa.ForeignKeyConstraint(["reply_id"], ["replies.id"], name=op.f("fk_swept_posts_reply_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_swept_posts")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_swept_posts_sweep_id", "swept_posts", ["sweep_id"])
    op.create_index("ix_swept_posts_topic_id", "swept_posts", ["topic_id"])
    op.create_index("ix_swept_posts_reply_id", "swept_posts", ["reply_id"])
    op.add_column("reports", sa.Column("text", sa.Text(), nullable=True))


def downgrade() -> None:
    """Downgrade to the revision before; what sweeps hid and which texts were reported is lost."""
    op.drop_column("reports", "text")
    op.drop_table("swept_posts")
