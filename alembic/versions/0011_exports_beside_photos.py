"""Keep the files of exports beside the photos: people whose export is in the database ask anew."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

# SQLite numbers rows only where the key is declared INTEGER.
BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


KEPT = sa.table(
    "data_exports",
    *(sa.column("id", BIG_ID), sa.column("user_id", BIG_ID)),
    *(sa.column("requested_at", MOMENT), sa.column("expires_at", MOMENT)),
)


def upgrade() -> None:
    op.drop_table("data_export_chunks")
    columns = sa.Column("storage", sa.String(10)), sa.Column("file", sa.String(64))
    _replace(*columns, nullable=True)


def downgrade() -> None:
    """Leaves the files in the storage."""
    _replace(nullable=False)
    op.create_table(
        "data_export_chunks",
        sa.Column("export_id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("export_id", "number", name="pk_data_export_chunks"),
    )


def _replace(*columns: sa.Column[str], nullable: bool) -> None:
    """Make the table anew, with what was asked for; nothing is ready."""
    asked = sa.select(KEPT).where(KEPT.c.user_id.is_not(None))
    rows = [dict(row) for row in op.get_bind().execute(asked).mappings()]
    op.drop_table("data_exports")
    _create(*columns, nullable=nullable)
    op.bulk_insert(KEPT, rows)


def _create(*columns: sa.Column[str], nullable: bool) -> None:
    op.create_table(
        "data_exports",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=nullable),
        *columns,
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
