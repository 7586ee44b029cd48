"""Let people export their data."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import replace_check

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# SQLite numbers rows only where the key is declared INTEGER.
BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
KINDS = "'mail', 'notify', 'deliver', 'sweep', 'index_topic', 'event'"


def upgrade() -> None:
    replace_check("ck_jobs_kind", "jobs", f"kind IN ({KINDS}, 'export')")
    op.create_table(
        "data_exports",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("size", sa.BigInteger()),
        sa.Column("requested_at", MOMENT, nullable=False),
        sa.Column("ready_at", MOMENT),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_data_exports_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_data_exports"),
        sa.UniqueConstraint("user_id", name="uq_data_exports_user_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_data_exports_expires_at", "data_exports", ["expires_at"])
    op.create_table(
        "data_export_chunks",
        sa.Column("export_id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("export_id", "number", name="pk_data_export_chunks"),
    )


def downgrade() -> None:
    op.execute("DELETE FROM jobs WHERE kind = 'export'")
    replace_check("ck_jobs_kind", "jobs", f"kind IN ({KINDS})")
    op.drop_table("data_export_chunks")
    op.drop_table("data_exports")
