"""Cut a page out of every list by its index alone, however far down."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

VISIBLE = "deleted_at IS NULL AND banned_at IS NULL"
HIDDEN = "deleted_at IS NOT NULL OR banned_at IS NOT NULL"
LEFT = "deleted_at IS NULL"

TOPIC_LISTS = {
    "active": (["last_active_at", "id"], VISIBLE),
    "recent": (["id"], VISIBLE),
    "popular": (["likes_count", "replies_count", "id"], VISIBLE),
    "no_reply": (["id"], f"{VISIBLE} AND replies_count = 0"),
    "excellent": (["id"], f"{VISIBLE} AND excellent_at IS NOT NULL"),
}
OTHERS = (
    # table, the columns as they were, and what comes behind them
    ("replies", ["user_id", "id"], "topic_id", LEFT),
    ("favorites", ["user_id", "id"], "topic_id", None),
    ("user_follows", ["user_id", "id"], "target_id", None),
    ("user_follows", ["target_id", "id"], "user_id", None),
    ("user_blocks", ["user_id", "id"], "target_id", None),
)
POPULAR = ["state", sa.text("replies_count DESC"), sa.text("topics_count DESC")]


def upgrade() -> None:
    """Bring the schema to this revision."""
    for name, columns, where in _topic_lists():
        _again(name, "topics", [*columns, "user_id"], where)
    for table, columns, behind, where in OTHERS:
        op.drop_index(_named(table, columns), table_name=table)
        _create(_named(table, [*columns, behind]), table, [*columns, behind], where)
    _create("ix_topics_hidden", "topics", ["id"], HIDDEN)
    _again("ix_users_popular", "users", [*POPULAR, "created_at", "id"], None)


def downgrade() -> None:
    """Take the schema back to the revision before."""
    _again("ix_users_popular", "users", ["state", "replies_count", "topics_count"], None)
    op.drop_index("ix_topics_hidden", table_name="topics")
    for table, columns, behind, where in reversed(OTHERS):
        op.drop_index(_named(table, [*columns, behind]), table_name=table)
        _create(_named(table, columns), table, columns, where)
    for name, columns, where in _topic_lists():
        _again(name, "topics", columns, where)


def _topic_lists() -> list[tuple[str, list[str], str]]:
    return [
        (f"ix_topics_{scope}{order}", [*leading, *columns], where)
        for scope, leading in (("", []), ("node_", ["node_id"]))
        for order, (columns, where) in TOPIC_LISTS.items()
    ]


def _named(table: str, columns: list[str]) -> str:
    return f"ix_{table}_{'_'.join(columns)}"


def _again(name: str, table: str, columns: list, where: str | None) -> None:
    op.drop_index(name, table_name=table)
    _create(name, table, columns, where)


def _create(name: str, table: str, columns: list, where: str | None) -> None:
    only = None if where is None else sa.text(where)
    op.create_index(name, table, columns, sqlite_where=only, postgresql_where=only)
