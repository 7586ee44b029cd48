"""Add webhooks, and what was or is to be sent to them."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Upgrade to this revision."""
    op.create_table(
        "webhooks",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False, server_default=""),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("node_ids", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("generation", sa.Integer(), nullable=False, server_default="1"),
        sa.Column("rotated_at", MOMENT, nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("failing_since", MOMENT, nullable=True),
        sa.Column("created_by_id", BIG_ID, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["users.id"], name=op.f("fk_webhooks_created_by_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhooks_created_by_id", "webhooks", ["created_by_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("webhook_id", BIG_ID, nullable=False),
        sa.Column("event_id", BIG_ID, nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("milliseconds", sa.Integer(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("delivered_at", MOMENT, nullable=True),
        sa.CheckConstraint(
            "state IN ('waiting', 'delivered', 'failed')", name=op.f("ck_webhook_deliveries_state")
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
            name=op.f("fk_webhook_deliveries_webhook_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
        sa.UniqueConstraint(
            "webhook_id", "event_id", name=op.f("uq_webhook_deliveries_webhook_id_event_id")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_webhook_deliveries_webhook_id_state_due_at",
        "webhook_deliveries",
        ["webhook_id", "state", "due_at"],
    )
    op.create_index("ix_webhook_deliveries_created_at", "webhook_deliveries", ["created_at"])


def downgrade() -> None:
    """Downgrade to the revision before; webhooks and their deliveries are lost."""
    op.drop_table("webhook_deliveries")
    op.drop_table("webhooks")
