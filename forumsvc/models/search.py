"""The search index: the tokens of each topic and each reply, made by the background worker.

On PostgreSQL a GIN index finds the documents. On SQLite an FTS5 table does, whose content these
tables are: triggers keep it the same (https://sqlite.org/fts5.html#external_content_tables).
"""

from typing import Any

from sqlalchemy import DDL, Index, Integer, Text, event
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from ..db.base import Base, BigId, Timestamp
from .declarations import Dump, Part


class Words:
    """The tokens of a post."""

    __dump__ = Dump(Part.LEFT_OUT, "the search index, made anew")

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    """The id of the post."""
    version: Mapped[int] = mapped_column(Integer)
    """The version of the tokens (`search.tokens.TOKENS_VERSION`)."""

    @declared_attr
    def created_at(cls) -> Mapped[Timestamp]:  # noqa: N805 - of the mapped class
        """The time of the post: finds the first id at a date."""
        return mapped_column(index=True)

    words: Mapped[str] = mapped_column(Text().with_variant(TSVECTOR(), "postgresql"))
    """The tokens; on SQLite with a blank between them."""


class TopicWords(Words, Base):
    """The tokens of a topic: of its opening, of its title, and of its title with `=` before them.

    A topic and a reply also have `@u` with the id of the author, and `@n` with that of the node.
    """

    __tablename__ = "topic_words"


class ReplyWords(Words, Base):
    """The tokens of a reply."""

    __tablename__ = "reply_words"


class PendingReindex(Base):
    """One row while posts are not indexed that a search should find: `forumsvc search reindex`."""

    __tablename__ = "search_pending_reindex"
    __dump__ = Dump(Part.LEFT_OUT, "the state of the search index")

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)


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
"""The statements that make the index of a table on SQLite."""

for _model in (TopicWords, ReplyWords):
    _table: Any = _model.__table__
    # Without a list of pending rows: a search would have to read it, and one INSERT would sort it.
    Index(
        f"ix_{_table.name}_words",
        _model.words,
        postgresql_using="gin",
        postgresql_with={"fastupdate": "off"},
    ).ddl_if(dialect="postgresql")
    for _statement in FTS5:
        _ddl = DDL(_statement.format(table=_table.name)).execute_if(dialect="sqlite")
        event.listen(_table, "after_create", _ddl)
