"""Add the search index, empty, and the names of users in normal form."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

from forumsvc.search.normal_form import name_key

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
WORDS = sa.Text().with_variant(TSVECTOR(), "postgresql")
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
TABLES = ("topic_words", "reply_words")
FTS5 = (
    """
    CREATE VIRTUAL TABLE {table}_fts USING fts5(
        words, content='{table}', content_rowid='id', detail=none, columnsize=0,
        tokenize="ascii tokenchars '=@_.+#-'"
    )
    """,
    """
    CREATE TRIGGER {table}_insert AFTER INSERT ON {table} BEGIN
        INSERT INTO {table}_fts(rowid, words) VALUES (new.id, new.words);
    END
    """,
    """
    CREATE TRIGGER {table}_delete AFTER DELETE ON {table} BEGIN
        INSERT INTO {table}_fts({table}_fts, rowid, words) VALUES ('delete', old.id, old.words);
    END
    """,
    """
    CREATE TRIGGER {table}_update AFTER UPDATE OF words ON {table} BEGIN
        INSERT INTO {table}_fts({table}_fts, rowid, words) VALUES ('delete', old.id, old.words);
        INSERT INTO {table}_fts(rowid, words) VALUES (new.id, new.words);
    END
    """,
)
BATCH = 1_000


def upgrade() -> None:
    """Upgrade to this revision."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for table in TABLES:
        op.create_table(
            table,
            sa.Column("id", BIG_ID, autoincrement=False, nullable=False),
            sa.Column("version", sa.Integer(), nullable=False),
            sa.Column("created_at", MOMENT, nullable=False),
            sa.Column("words", WORDS, nullable=False),
            sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
        )
        op.create_index(f"ix_{table}_created_at", table, ["created_at"])
        if is_sqlite:
            for statement in FTS5:
                op.execute(statement.format(table=table))
        else:
            op.create_index(
                f"ix_{table}_words",
                table,
                ["words"],
                postgresql_using="gin",
                postgresql_with={"fastupdate": "off"},
            )
    op.create_table(
        "search_moved_topics",
        sa.Column("topic_id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("last_reply_id", BIG_ID, nullable=False),
        sa.PrimaryKeyConstraint("topic_id", name=op.f("pk_search_moved_topics")),
    )
    op.create_table(
        "search_pending_reindex",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_pending_reindex")),
    )
    # There is nothing to index where there is no topic.
    op.execute(
        "INSERT INTO search_pending_reindex (id) SELECT 1 WHERE EXISTS (SELECT 1 FROM topics)"
    )
    op.add_column("users", sa.Column("name_key", KEY, nullable=False, server_default=""))
    _set_name_keys()


def _set_name_keys() -> None:
    db = op.get_bind()
    read = sa.text(
        "SELECT id, name FROM users WHERE name <> '' AND id > :last ORDER BY id LIMIT :most"
    )
    update = sa.text("UPDATE users SET name_key = :key WHERE id = :id")
    last = 0
    while found := db.execute(read, {"last": last, "most": BATCH}).all():
        db.execute(update, [{"id": row.id, "key": name_key(row.name)} for row in found])
        last = found[-1].id


def downgrade() -> None:
    """Downgrade to the revision before; the search index is lost."""
    op.drop_column("users", "name_key")
    op.drop_table("search_pending_reindex")
    op.drop_table("search_moved_topics")
    for table in reversed(TABLES):
        if op.get_bind().dialect.name == "sqlite":
            op.execute(f"DROP TABLE {table}_fts")
        op.drop_table(table)
