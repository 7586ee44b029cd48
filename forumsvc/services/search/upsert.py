"""The statements that write documents of the search index."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, DateTime, Integer, Text, bindparam, func, literal, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ...db.execution import is_sqlite
from ...queries.search_documents import Words
from ...search.tokens import TOKENS_VERSION


def upsert(db: Session, words: Words, rows: Sequence[dict[str, Any]]) -> None:
    """Insert or replace documents; one that is the same already is not written.

    rows: id, created_at, and words with a blank between them.
    """
    if not rows:
        return
    if is_sqlite(db):
        values: Any = [{**row, "version": TOKENS_VERSION} for row in rows]
        db.connection().execute(_upsert_each(words), values)
        return
    columns = {name: [row[name] for row in rows] for name in ("id", "created_at", "words")}
    db.connection().execute(_upsert_all(words), {**columns, "version": TOKENS_VERSION})


@cache
def _upsert_each(words: Words) -> Any:
    table: Any = words.__table__
    names = ("id", "version", "created_at", "words")
    return _or_replace(sqlite.insert(table).values({name: bindparam(name) for name in names}))


@cache
def _upsert_all(words: Words) -> Any:
    """Return one statement for a whole batch, whose columns are arrays."""
    table: Any = words.__table__
    rows = select(
        func.unnest(bindparam("id", type_=postgresql.ARRAY(BigInteger))),
        bindparam("version", type_=Integer),
        func.unnest(bindparam("created_at", type_=postgresql.ARRAY(DateTime(timezone=True)))),
        func.array_to_tsvector(
            func.string_to_array(
                func.unnest(bindparam("words", type_=postgresql.ARRAY(Text))), literal(" ")
            )
        ),
    )
    insert = postgresql.insert(table)
    return _or_replace(insert.from_select(["id", "version", "created_at", "words"], rows))


def _or_replace(statement: Any) -> Any:
    new, old = statement.excluded, statement.table.c
    return statement.on_conflict_do_update(
        index_elements=[old.id],
        set_={"version": new.version, "created_at": new.created_at, "words": new.words},
        where=or_(old.version != new.version, old.words != new.words),
    )
