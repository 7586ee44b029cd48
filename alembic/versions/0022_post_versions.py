"""Keep the former texts of topics and replies."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
_POSTS = ("topics", "replies")


def upgrade() -> None:
    """Bring the schema to this revision."""
    for table in _POSTS:
        op.add_column(table, sa.Column("edited_at", MOMENT))
        op.add_column(table, sa.Column("editor_id", BIG_ID))
    _create_table()


def _create_table() -> None:
    table = "post_versions"
    keys = {"topic_id": "topics", "reply_id": "replies", "user_id": "users", "editor_id": "users"}
    op.create_table(
        table,
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID),
        sa.Column("reply_id", BIG_ID),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("editor_id", BIG_ID, nullable=False),
        sa.Column("title", sa.String(255)),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_html", sa.Text(), nullable=False),
        sa.Column("markup_version", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("replaced_at", MOMENT, nullable=False),
        sa.Column("hidden_at", MOMENT),
        *(
            sa.ForeignKeyConstraint([name], [f"{other}.id"], name=op.f(f"fk_{table}_{name}"))
            for name, other in keys.items()
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
        *(
            sa.UniqueConstraint(name, "number", name=op.f(f"uq_{table}_{name}_number"))
            for name in ("topic_id", "reply_id")
        ),
        sqlite_autoincrement=True,
    )
    for columns in (["user_id"], ["editor_id", "id"], ["replaced_at"], ["markup_version", "id"]):
        op.create_index(f"ix_{table}_{'_'.join(columns)}", table, columns)


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_table("post_versions")
    for table in _POSTS:
        op.drop_column(table, "editor_id")
        op.drop_column(table, "edited_at")
