"""Add held posts, accounts that wait for approval, and sweeps."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import replace_check

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
IS_PENDING = sa.text("finished_at IS NULL")


def upgrade() -> None:
    """Upgrade to this revision."""
    replace_check("ck_reviews_kind", "reviews", "kind IN ('reported', 'held', 'account')")
    op.create_table(
        "held_posts",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("node_id", BIG_ID, nullable=True),
        sa.Column("topic_id", BIG_ID, nullable=True),
        sa.Column("reply_id", BIG_ID, nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("reason", sa.String(length=10), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("closed_at", MOMENT, nullable=True),
        sa.CheckConstraint("kind IN ('topic', 'reply')", name=op.f("ck_held_posts_kind")),
        sa.CheckConstraint(
            "reason IN ('first_post', 'word', 'links')", name=op.f("ck_held_posts_reason")
        ),
        sa.CheckConstraint(
            "state IN ('waiting', 'released', 'refused', 'withdrawn')",
            name=op.f("ck_held_posts_state"),
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_held_posts_user_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_held_posts_topic_id")),
        sa.ForeignKeyConstraint(["reply_id"], ["replies.id"], name=op.f("fk_held_posts_reply_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_held_posts")),
        sqlite_autoincrement=True,
    )
    op.add_column("reviews", sa.Column("held_post_id", BIG_ID, nullable=True))
    op.create_index("ix_held_posts_user_id_id", "held_posts", ["user_id", "id"])
    op.create_index("ix_held_posts_topic_id", "held_posts", ["topic_id"])
    op.create_index("ix_held_posts_reply_id", "held_posts", ["reply_id"])
    op.add_column(
        "users",
        sa.Column("awaits_approval", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "sweeps",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("action", sa.String(length=10), nullable=False),
        sa.Column("since", MOMENT, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("actor_id", BIG_ID, nullable=True),
        sa.Column("last_topic_id", BIG_ID, nullable=False, server_default="0"),
        sa.Column("last_reply_id", BIG_ID, nullable=False, server_default="0"),
        sa.Column("posts_done", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.CheckConstraint(
            "action IN ('hide', 'delete', 'restore')", name=op.f("ck_sweeps_action")
        ),
        sa.CheckConstraint("posts_done >= 0", name=op.f("ck_sweeps_posts_done")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sweeps_user_id")),
        sa.ForeignKeyConstraint(["actor_id"], ["users.id"], name=op.f("fk_sweeps_actor_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sweeps")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sweeps_user_id", "sweeps", ["user_id"])
    op.create_index("ix_sweeps_actor_id", "sweeps", ["actor_id"])
    op.create_index(
        "ix_sweeps_pending",
        "sweeps",
        ["id"],
        sqlite_where=IS_PENDING,
        postgresql_where=IS_PENDING,
    )


def downgrade() -> None:
    """Downgrade to the revision before; held posts and what waits for approval are lost."""
    op.execute("DELETE FROM reviews WHERE kind IN ('held', 'account')")
    replace_check("ck_reviews_kind", "reviews", "kind IN ('reported')")
    op.drop_table("sweeps")
    op.drop_column("users", "awaits_approval")
    op.drop_column("reviews", "held_post_id")
    op.drop_table("held_posts")
