"""Let a moderator's choice of a node stay, people mute nodes, and applications register devices."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.add_column("topics", sa.Column("node_locked_at", MOMENT))
    op.create_table(
        "node_mutes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("node_id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["node_id"], ["nodes.id"], name=op.f("fk_node_mutes_node_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_node_mutes_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_node_mutes")),
        sa.UniqueConstraint("user_id", "node_id", name=op.f("uq_node_mutes_user_id_node_id")),
    )
    op.create_index("ix_node_mutes_node_id", "node_mutes", ["node_id"])
    op.create_table(
        "devices",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("platform", sa.String(10), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("last_active_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_devices_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_devices")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_devices_token_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_devices_user_id_last_active_at", "devices", ["user_id", "last_active_at"])
    op.create_index("ix_devices_last_active_at", "devices", ["last_active_at"])


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_table("devices")
    op.drop_table("node_mutes")
    op.drop_column("topics", "node_locked_at")
