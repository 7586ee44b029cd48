"""Add reports of members, and the reviews of moderators."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
IS_OPEN = sa.text("state = 'open'")


def upgrade() -> None:
    """Upgrade to this revision."""
    op.create_table(
        "reviews",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("object_key", sa.String(length=30), nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=True),
        sa.Column("reply_id", BIG_ID, nullable=True),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("reports_count", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("weight", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("is_hidden", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("decision", sa.String(length=10), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("resolved_by_id", BIG_ID, nullable=True),
        sa.Column("version", sa.Integer(), nullable=False, server_default="1"),
        sa.Column("opened_at", MOMENT, nullable=False),
        sa.Column("resolved_at", MOMENT, nullable=True),
        sa.CheckConstraint("kind IN ('reported')", name=op.f("ck_reviews_kind")),
        sa.CheckConstraint("state IN ('open', 'resolved')", name=op.f("ck_reviews_state")),
        sa.CheckConstraint(
            "decision IN ('approve', 'hide', 'delete', 'dismiss')", name=op.f("ck_reviews_decision")
        ),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_reviews_topic_id")),
        sa.ForeignKeyConstraint(["reply_id"], ["replies.id"], name=op.f("fk_reviews_reply_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_reviews_user_id")),
        sa.ForeignKeyConstraint(
            ["resolved_by_id"], ["users.id"], name=op.f("fk_reviews_resolved_by_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviews")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_reviews_open",
        "reviews",
        ["object_key"],
        unique=True,
        sqlite_where=IS_OPEN,
        postgresql_where=IS_OPEN,
    )
    op.create_index("ix_reviews_state_id", "reviews", ["state", "id"])
    op.create_index("ix_reviews_state_weight_id", "reviews", ["state", "weight", "id"])
    for column in ("topic_id", "reply_id", "user_id", "resolved_by_id"):
        op.create_index(f"ix_reviews_{column}", "reviews", [column])
    op.create_table(
        "reports",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("reporter_id", BIG_ID, nullable=False),
        sa.Column("review_id", BIG_ID, nullable=False),
        sa.Column("category", sa.String(length=10), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False, server_default=""),
        sa.Column("is_established", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("resolved_at", MOMENT, nullable=True),
        sa.CheckConstraint(
            "category IN ('spam', 'abuse', 'off_topic', 'illegal', 'other')",
            name=op.f("ck_reports_category"),
        ),
        sa.CheckConstraint(
            "state IN ('open', 'upheld', 'dismissed')", name=op.f("ck_reports_state")
        ),
        sa.ForeignKeyConstraint(["reporter_id"], ["users.id"], name=op.f("fk_reports_reporter_id")),
        sa.ForeignKeyConstraint(["review_id"], ["reviews.id"], name=op.f("fk_reports_review_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reports")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_reports_open",
        "reports",
        ["review_id", "reporter_id"],
        unique=True,
        sqlite_where=IS_OPEN,
        postgresql_where=IS_OPEN,
    )
    op.create_index("ix_reports_review_id_id", "reports", ["review_id", "id"])
    op.create_index("ix_reports_reporter_id_id", "reports", ["reporter_id", "id"])


def downgrade() -> None:
    """Downgrade to the revision before; reports and reviews are lost."""
    op.drop_table("reports")
    op.drop_table("reviews")
