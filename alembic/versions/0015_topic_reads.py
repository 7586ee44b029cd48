"""Remember how far users have read."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.create_table(
        "topic_reads",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("user_id", _BIG_ID, nullable=False),
        sa.Column("topic_id", _BIG_ID, nullable=False),
        sa.Column("last_reply_id", _BIG_ID, server_default="0", nullable=False),
        sa.Column("after_cutoff_id", _BIG_ID, server_default="0", nullable=False),
        sa.Column("read_at", _MOMENT),
        sa.Column("forced_at", _MOMENT),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_topic_reads_topic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_topic_reads_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_reads")),
        sa.UniqueConstraint("user_id", "topic_id", name=op.f("uq_topic_reads_user_id_topic_id")),
    )
    op.create_table(
        "read_cutoffs",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("user_id", _BIG_ID, nullable=False),
        sa.Column("node_id", _BIG_ID),
        sa.Column("last_reply_id", _BIG_ID, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_read_cutoffs_node_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_read_cutoffs_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_read_cutoffs")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_read_cutoffs_user_id", "read_cutoffs", ["user_id"])
    op.create_index("ix_read_cutoffs_node_id", "read_cutoffs", ["node_id"])


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_table("read_cutoffs")
    op.drop_table("topic_reads")
