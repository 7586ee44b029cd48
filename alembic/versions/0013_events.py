"""Add events, leases of background work, and emails that survive the end of a process."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Upgrade to this revision."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    xid = sa.text("0") if is_sqlite else sa.text("(pg_current_xact_id()::text::bigint)")
    op.create_table(
        "events",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("xid", sa.BigInteger(), nullable=False, server_default=xid),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("actor_id", BIG_ID, nullable=True),
        sa.Column("user_id", BIG_ID, nullable=True),
        sa.Column("topic_id", BIG_ID, nullable=True),
        sa.Column("reply_id", BIG_ID, nullable=True),
        sa.Column("node_id", BIG_ID, nullable=True),
        sa.Column("data", sa.Text(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_xid_id", "events", ["xid", "id"])
    op.create_table(
        "event_positions",
        sa.Column("consumer", sa.String(length=40), nullable=False),
        sa.Column("xid", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("consumer", name=op.f("pk_event_positions")),
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("holder", sa.String(length=100), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )
    op.create_table(
        "mails",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=100), nullable=True),
        sa.Column("recipient", sa.String(length=255), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.CheckConstraint("state IN ('waiting', 'sent', 'failed')", name=op.f("ck_mails_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sa.UniqueConstraint("key", name=op.f("uq_mails_key")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_mails_state_due_at", "mails", ["state", "due_at"])


def downgrade() -> None:
    """Downgrade to the revision before; events and waiting emails are lost."""
    for table in ("mails", "leases", "event_positions", "events"):
        op.drop_table(table)
