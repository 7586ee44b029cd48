"""When the last backup was made, and jobs that make one."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import replace_check

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# SQLite numbers rows only where the key is declared INTEGER.
BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KINDS = "'mail', 'notify', 'deliver', 'sweep', 'index_topic', 'event', 'export', 'account'"


def upgrade() -> None:
    replace_check("ck_jobs_kind", "jobs", f"kind IN ({KINDS}, 'backup')")
    op.create_table(
        "last_backup",
        sa.Column("id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_last_backup_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_last_backup")),
    )


def downgrade() -> None:
    op.execute("DELETE FROM jobs WHERE kind = 'backup'")
    replace_check("ck_jobs_kind", "jobs", f"kind IN ({KINDS})")
    op.drop_table("last_backup")
