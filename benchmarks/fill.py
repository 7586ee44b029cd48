"""Fills a database with a large community: `python -m benchmarks.fill some.ini --topics 100000`.

`forumsvc demo` makes a small one, which the statements of `fill.sql` multiply. A post is two of the
demo's one below the other, and a word of its own. A few members and topics have most of the posts.
Row i of n is of the time `i / n` of the way from two years to two days ago.
"""

import argparse
import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select, text

from benchmarks.servers import forumsvc, url_of
from forumsvc import clock
from forumsvc.cache.database import open_database
from forumsvc.db.engine import Database
from forumsvc.models import Base, Reply, Topic, User
from forumsvc.services import events
from forumsvc.services.posts import counters

BATCH = 50_000
_SQL = Path(__file__).with_suffix(".sql")
_SPAN, _PAUSE = 730 * 86_400, 2 * 86_400


@dataclass(frozen=True)
class Size:
    """How many users, topics and replies are made beside those of the demo."""

    users: int = 1_000
    topics: int = 10_000
    replies: int = 100_000


_MOMENTS = {
    "postgresql": r"to_timestamp(\1)",
    "sqlite": r"strftime('%Y-%m-%d %H:%M:%S.000000', \1, 'unixepoch')",
}


def multiply(database: Database, size: Size) -> None:
    """Add so many users, topics and replies, and their relations, to a demo; set all counters."""
    with database.session.begin() as db:
        events.record_nothing(db)
        _insert(db.connection(), size)
        counters.fix(db)
    if not database.is_sqlite:
        # Index-only scans need it, and the recount left a dead version of each row.
        with database.writes.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.exec_driver_sql("VACUUM ANALYZE")


def _insert(db: Connection, size: Size) -> None:
    is_postgresql = db.dialect.name == "postgresql"
    if is_postgresql and db.scalar(text("SELECT usesuper FROM pg_user WHERE usename = user")):
        # No foreign key is looked up for each of so many rows.
        db.execute(text("SET LOCAL session_replication_role = replica"))
    db.execute(text("CREATE TEMP TABLE bench_series (i bigint PRIMARY KEY)"))
    db.execute(text("INSERT INTO bench_series VALUES (:i)"), [{"i": i} for i in range(BATCH)])
    _run(db, "pieces", {})
    if is_postgresql:
        db.execute(text("ANALYZE bench_series, bench_pieces"))
    values: dict[str, Any] = {
        "gap": "\n\n",
        "pieces": db.scalar(text("SELECT count(*) FROM bench_pieces")),
        "titles": db.scalar(text("SELECT count(title) FROM bench_pieces")),
        "first_node": db.scalar(text("SELECT min(id) FROM nodes")),
        "nodes": db.scalar(text("SELECT count(*) FROM nodes")),
        "began": int(clock.now().timestamp()) - _SPAN - _PAUSE,
        "span": _SPAN,
        "users": size.users,
        "topics": size.topics,
        "first_user": _last_id(db, User) + 1,
        "first_topic": _last_id(db, Topic) + 1,
        "first_reply": _last_id(db, Reply) + 1,
    }
    _run(db, "users", {**values, "many": size.users})
    _run(db, "topics", {**values, "many": size.topics})
    _run(db, "replies", {**values, "many": size.replies})
    for table, column, many, target in (
        ("topic_likes", "topic_id", 2 * size.topics + size.replies // 10, "{topic}"),
        ("topic_follows", "topic_id", size.topics, "{topic}"),
        ("favorites", "topic_id", size.topics, "{topic}"),
        ("reply_likes", "reply_id", size.replies // 4, "4 * i"),
    ):
        first = {"first_target": values["first_" + column.removesuffix("_id")], "many": many}
        own = {"table": table, "column": column, "target": target}
        _run(db, "relation to posts", {**values, **first}, **own)
    for table, many in (("user_follows", 4 * size.users), ("user_blocks", size.users // 20)):
        _run(db, "relation to users", {**values, "many": many}, table=table)
    # Without the numbers of the new rows PostgreSQL would join them by nested loops.
    db.execute(text("ANALYZE"))
    _run(db, "notices", {"last_reply": _last_id(db, Reply)})
    db.execute(text("DROP TABLE bench_series"))
    db.execute(text("DROP TABLE bench_pieces"))


def _run(db: Connection, name: str, values: dict[str, Any], **names: str) -> None:
    """Run a statement of `fill.sql` in batches of `many` rows; names: for what is in braces."""
    source = re.sub(r"^--(?! name: ).*\n", "", _SQL.read_text("utf-8"), flags=re.M)
    parts = {one.partition("\n")[0]: one for one in source.split("-- name: ")[1:]}
    parts = {head: one.partition("\n")[2].strip() for head, one in parts.items()} | names
    statement = parts[name]
    while found := re.search(r"\{(\w+)\}", statement):
        statement = statement.replace(found[0], parts[found[1]])
    statement = re.sub(r"moment\(((?:[^()]|\([^()]*\))*)\)", _MOMENTS[db.dialect.name], statement)
    bound = text(statement)
    used = bound.compile().params
    for start in range(0, values.get("many", 1), BATCH):
        db.execute(bound, {k: v for k, v in {**values, "start": start}.items() if k in used})


def _last_id(db: Connection, model: type[Base]) -> int:
    return db.scalar(select(func.max(model.__table__.c.id))) or 0


def main() -> None:
    """Make a demo and multiply it; print what `forumsvc demo` prints, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fill", description=__doc__)
    parser.add_argument("ini", type=Path)
    for field in fields(Size):
        parser.add_argument(f"--{field.name}", type=int, default=field.default)
    options = vars(parser.parse_args())
    ini = options.pop("ini")
    made = forumsvc(ini, "demo", "--yes")
    database = open_database(url_of(ini))
    try:
        multiply(database, Size(**options))
    finally:
        database.dispose()
    print(json.dumps(made))


if __name__ == "__main__":
    main()
