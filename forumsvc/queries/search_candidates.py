"""Finds the newest documents of the search index that meet a condition: the candidates.

SQLite's FTS5 yields them in the order of their ids. PostgreSQL's GIN index knows no order: it would
read all documents of a common word. So the newest documents are looked through first; a common word
is found there at once. Only for a seldom word the index is asked (`_on_postgresql`).
Measured in docs/performance.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Row,
    Select,
    TextClause,
    bindparam,
    select,
    text,
)

from ..db.base import UtcDateTime
from ..search.expressions import Condition, fts5, tsquery
from ..text.ids import MAX_ID
from .search_documents import Words

LIMIT = 200
"""Candidates of one kind: with more, three classes of queries take over 0.15 s."""

_LOOK = 5_000
"""Documents that are looked through first: 3 to 5 ms."""
_FAR = 300_000
"""Documents that are looked through at most: about 0.2 s."""
_VISIT = 30
"""How much longer it takes to visit a document that the index found than to look at the next."""
_COMMON = 100
"""Of what share of documents a prefix is common: one in so many."""


@dataclass(frozen=True, slots=True)
class IdRange:
    """The ids that are sought: those of the documents of a time."""

    first: int = 0
    last: int = MAX_ID


def newest(db: Connection, words: Words, condition: Condition, ids: IdRange) -> list[int]:
    """Return the ids of the newest documents that meet a condition, at most `LIMIT`."""
    if db.dialect.name == "sqlite":
        return _ids(_run(db, _match(words.__tablename__), fts5(condition), ids, LIMIT))
    return _on_postgresql(db, words, condition, ids)


def first_id_at(db: Connection, words: Words, moment: datetime) -> int | None:
    """Return the id of the first document of a time or later, None without one."""
    row = db.execute(_first_at(words), {"moment": moment}).first()
    return None if row is None else int(row.id)


def _on_postgresql(db: Connection, words: Words, condition: Condition, ids: IdRange) -> list[int]:
    table, sought = words.__tablename__, tsquery(condition)
    seen = _run(db, _walk(table), sought, ids, _LOOK)
    if seen:
        hits, newest_id = len(seen), seen[0].newest_id
        distance, expected_hits = LIMIT * _LOOK // hits, newest_id * hits // _LOOK
        if hits < LIMIT and distance < _VISIT * expected_hits:
            seen = _run(db, _walk(table), sought, ids, min(_FAR, 2 * distance))
        if len(seen) >= LIMIT:
            return _ids(seen)
    in_index = _for_index(db, table, condition)
    if in_index == condition:
        return _ids(_run(db, _index(table), sought, ids, LIMIT))
    values = {"index": tsquery(in_index)}
    return _ids(_run(db, _index_and_rows(table), sought, ids, LIMIT, **values))


def _for_index(db: Connection, table: str, condition: Condition) -> Condition:
    """Return what the index is searched for: no common prefixes, if anything else is left.

    The index reads all documents of a prefix, whatever else is asked.
    """
    if not condition.prefixes or len(condition.tokens) + len(condition.prefixes) == 1:
        return condition
    parts = [Condition((token,)) for token in condition.tokens]
    parts += [Condition((), (prefix,)) for prefix in condition.prefixes]
    statement = _counts(table, len(parts))
    values = {f"part{at}": tsquery(part) for at, part in enumerate(parts)}
    counts = db.execute(statement, {**values, "most": _LOOK}).one()
    is_common = [count * _COMMON >= _LOOK for count in counts]
    if all(is_common):
        return condition
    prefixes = is_common[len(condition.tokens) :]
    return condition.without(
        one for one, common in zip(condition.prefixes, prefixes, strict=True) if common
    )


def _run(
    db: Connection, statement: TextClause, sought: str, ids: IdRange, most: int, **values: Any
) -> Sequence[Row[Any]]:
    bound = {"sought": sought, "first": ids.first, "last": ids.last, "most": most, **values}
    return db.execute(statement, bound).all()


def _ids(rows: Sequence[Row[Any]]) -> list[int]:
    return [row.id for row in rows]


_PARAMETERS = (
    bindparam("first", type_=BigInteger),
    bindparam("last", type_=BigInteger),
    bindparam("most", type_=Integer),
)


@cache
def _match(table: str) -> TextClause:
    return text(
        f"SELECT rowid AS id FROM {table}_fts WHERE {table}_fts MATCH :sought"  # noqa: S608 - our name
        " AND rowid BETWEEN :first AND :last ORDER BY rowid DESC LIMIT :most"
    ).bindparams(*_PARAMETERS)


@cache
def _walk(table: str) -> TextClause:
    # The inner LIMIT leaves no other plan than a walk along the primary key.
    return text(
        f"SELECT id, (SELECT max(id) FROM {table}) AS newest_id"  # noqa: S608
        f" FROM (SELECT id, words FROM {table} WHERE id BETWEEN :first AND :last"
        " ORDER BY id DESC LIMIT :most) AS newest"
        f" WHERE words @@ CAST(:sought AS tsquery) ORDER BY id DESC LIMIT {LIMIT}"
    ).bindparams(*_PARAMETERS)


@cache
def _index(table: str) -> TextClause:
    # MATERIALIZED: or the planner could walk along the primary key for a seldom word.
    return text(
        f"WITH matching AS MATERIALIZED (SELECT id FROM {table}"  # noqa: S608
        " WHERE words @@ CAST(:sought AS tsquery))"
        " SELECT id FROM matching WHERE id BETWEEN :first AND :last ORDER BY id DESC LIMIT :most"
    ).bindparams(*_PARAMETERS)


@cache
def _index_and_rows(table: str) -> TextClause:
    return text(
        f"WITH matching AS MATERIALIZED (SELECT id, words FROM {table}"  # noqa: S608
        " WHERE words @@ CAST(:index AS tsquery))"
        " SELECT id FROM matching WHERE words @@ CAST(:sought AS tsquery)"
        " AND id BETWEEN :first AND :last ORDER BY id DESC LIMIT :most"
    ).bindparams(*_PARAMETERS)


@cache
def _counts(table: str, parts: int) -> TextClause:
    counts = ", ".join(
        f"count(*) FILTER (WHERE words @@ CAST(:part{at} AS tsquery))" for at in range(parts)
    )
    return text(
        f"SELECT {counts} FROM"  # noqa: S608
        f" (SELECT words FROM {table} ORDER BY id DESC LIMIT :most) AS newest"
    ).bindparams(bindparam("most", type_=Integer))


@cache
def _first_at(words: Words) -> Select[Any]:
    columns: list[Any] = [words.id]
    moment = bindparam("moment", type_=UtcDateTime)
    at_or_after = select(*columns).where(words.created_at >= moment)
    return at_or_after.order_by(words.created_at).limit(1)
