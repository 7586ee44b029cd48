"""Put what the background worker is to do into one table; what waits in the former ones is lost."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
KINDS = "kind IN ('mail', 'notify', 'deliver', 'sweep', 'index_topic', 'event')"


def upgrade() -> None:
    """Upgrade to this revision."""
    op.create_table(
        "jobs",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("key", sa.String(length=40), nullable=True),
        sa.Column("state", sa.String(length=10), server_default="waiting", nullable=False),
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("locked_until", TIME, nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("finished_at", TIME, nullable=True),
        sa.CheckConstraint(KINDS, name=op.f("ck_jobs_kind")),
        sa.CheckConstraint("state IN ('waiting', 'done', 'failed')", name=op.f("ck_jobs_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_state_kind_due_at", "jobs", ["state", "kind", "due_at"])
    op.create_index("ix_jobs_kind_key", "jobs", ["kind", "key"])
    op.create_index("ix_jobs_finished_at", "jobs", ["finished_at"])
    for table in ("mails", "failed_events"):
        op.drop_table(table)


def downgrade() -> None:
    """Downgrade to the revision before; jobs are lost."""
    op.drop_table("jobs")
    _create_mails()
    _create_failed_events()


def _create_mails() -> None:
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
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("finished_at", TIME, nullable=True),
        sa.CheckConstraint("state IN ('waiting', 'sent', 'failed')", name=op.f("ck_mails_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sa.UniqueConstraint("key", name=op.f("uq_mails_key")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_mails_state_due_at", "mails", ["state", "due_at"])
    op.create_index("ix_mails_finished_at", "mails", ["finished_at"])


def _create_failed_events() -> None:
    op.create_table(
        "failed_events",
        sa.Column("consumer", sa.String(length=40), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("failed_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("consumer", "event_id", name=op.f("pk_failed_events")),
    )
    op.create_index("ix_failed_events_failed_at", "failed_events", ["failed_at"])
