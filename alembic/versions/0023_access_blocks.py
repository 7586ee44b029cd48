"""Add blocks of networks and email addresses, their version, and the networks of authors."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Upgrade to this revision."""
    op.create_table(
        "access_blocks",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("value", sa.String(length=320), nullable=False),
        sa.Column("severity", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by_id", BIG_ID, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=True),
        sa.CheckConstraint(
            "kind IN ('address', 'email', 'email_domain')", name=op.f("ck_access_blocks_kind")
        ),
        sa.CheckConstraint(
            "severity IN ('approval', 'sign_up', 'write', 'all')",
            name=op.f("ck_access_blocks_severity"),
        ),
        sa.ForeignKeyConstraint(["by_id"], ["users.id"], name=op.f("fk_access_blocks_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_blocks")),
        sa.UniqueConstraint("kind", "value", name=op.f("uq_access_blocks_kind_value")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_access_blocks_by_id", "access_blocks", ["by_id"])
    op.create_table(
        "post_networks",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("last_post_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_post_networks_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_post_networks")),
        sa.UniqueConstraint("user_id", "network", name=op.f("uq_post_networks_user_id_network")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_post_networks_network", "post_networks", ["network"])
    op.create_index("ix_post_networks_last_post_at", "post_networks", ["last_post_at"])
    op.add_column(
        "change_marks", sa.Column("access", sa.BigInteger(), nullable=False, server_default="0")
    )


def downgrade() -> None:
    """Downgrade to the revision before; the blocks are lost."""
    op.drop_column("change_marks", "access")
    op.drop_table("post_networks")
    op.drop_table("access_blocks")
