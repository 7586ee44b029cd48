"""Select a page of every list by an index alone, even at a large offset."""

import sqlalchemy as sa

from forumsvc.db.online_ddl import create_index, drop_index, replace_index

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
    # table, the existing columns, the added column, and the condition
    ("replies", ["user_id", "id"], "topic_id", LEFT),
    ("favorites", ["user_id", "id"], "topic_id", None),
    ("user_follows", ["user_id", "id"], "target_id", None),
    ("user_follows", ["target_id", "id"], "user_id", None),
    ("user_blocks", ["user_id", "id"], "target_id", None),
)
POPULAR = ["state", sa.text("replies_count DESC"), sa.text("topics_count DESC")]


def upgrade() -> None:
    """Upgrade to this revision."""
    for name, columns, where in _topic_lists():
        replace_index(name, "topics", [*columns, "user_id"], where)
    for table, columns, added, where in OTHERS:
        create_index(_named(table, [*columns, added]), table, [*columns, added], where)
        drop_index(_named(table, columns), table)
    create_index("ix_topics_hidden", "topics", ["id"], HIDDEN)
    replace_index("ix_users_popular", "users", [*POPULAR, "created_at", "id"])


def downgrade() -> None:
    """Downgrade to the revision before."""
    replace_index("ix_users_popular", "users", ["state", "replies_count", "topics_count"])
    drop_index("ix_topics_hidden", "topics")
    for table, columns, added, where in reversed(OTHERS):
        create_index(_named(table, columns), table, columns, where)
        drop_index(_named(table, [*columns, added]), table)
    for name, columns, where in _topic_lists():
        replace_index(name, "topics", columns, where)


def _topic_lists() -> list[tuple[str, list[str], str]]:
    return [
        (f"ix_topics_{scope}{order}", [*leading, *columns], where)
        for scope, leading in (("", []), ("node_", ["node_id"]))
        for order, (columns, where) in TOPIC_LISTS.items()
    ]


def _named(table: str, columns: list[str]) -> str:
    return f"ix_{table}_{'_'.join(columns)}"
