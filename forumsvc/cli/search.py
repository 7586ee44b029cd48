"""`forumsvc search …`: the index of the search."""

import time
from collections.abc import Callable
from typing import Any

import click
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from .. import clock
from ..errors import Invalid
from ..presenters.search import understood
from ..queries import events, nodes, search_documents, users
from ..queries import search as searching
from ..queries.search import Search
from ..queries.search_documents import POSTS
from ..search.query import Order, Where, parse_query
from ..services.search import index_check, indexing, reindexing
from .command import Group
from .context import CommandError, Context, pass_context
from .terminal import Progress

search = Group("search")


@search.command()
@click.option(
    "--from-scratch", is_flag=True, help="Empty the index before; nothing is found meanwhile."
)
@pass_context
def reindex(context: Context, from_scratch: bool) -> None:
    """Index what is missing, or of an older version.

    The service may run meanwhile. You may stop it at any time: the next run continues.
    """
    database = context.current_database()
    began = time.monotonic()
    with Progress("Indexing") as bar:
        made = reindexing.reindex(database, from_scratch=from_scratch, progress=bar.show)
    seconds = round(time.monotonic() - began, 1)
    context.output(
        f"Indexed {made.topics} topics and {made.replies} replies in {seconds} seconds.",
        topics=made.topics,
        replies=made.replies,
        seconds=seconds,
    )


@search.command()
@pass_context
def status(context: Context) -> None:
    """Show how many posts are indexed, and how far the background worker is behind."""
    database = context.current_database()
    with database.reads.connect() as db:
        is_complete = search_documents.is_complete(db)
        counts = {words.__tablename__: search_documents.count(db, words) for words in POSTS}
        sizes = {table: _megabytes(db, table) for table in counts}
    oldest = events.oldest_unread_at(database.executor, indexing.CONSUMER)
    lag = 0.0 if oldest is None else max(0.0, (clock.now() - oldest).total_seconds())
    listed = [
        {"table": table, **number._asdict(), "megabytes": sizes[table]}
        for table, number in counts.items()
    ]
    values: dict[str, Any] = {"complete": is_complete, "lag_seconds": round(lag, 1)}
    context.output_list("tables", listed, "", **values)
    if context.as_json:
        return
    if not is_complete:
        context.print_status("Searches answer 503 until `forumsvc search reindex` has ended.")
    context.print_status(f"The oldest event to be indexed is {lag:.0f} seconds old.")


@search.command()
@click.option("--fix", is_flag=True, help="Make wrong documents anew.")
@pass_context
def check(context: Context, fix: bool) -> None:
    """Compare the index with the posts: all ids, and the words of 1,000 random posts of a kind."""
    database = context.current_database()
    report = index_check.check(database)
    fixed = index_check.fix(database, report) if fix else 0
    wrong = sum(len(item.ids) or 1 for item in report.wrong)
    lines = [f"{one.words.__tablename__}: {len(one.ids) or ''} {one.what}" for one in report.wrong]
    lines.append(f"{report.checked} documents compared, {wrong} wrong, {fixed} fixed.")
    context.output("\n".join(lines), checked=report.checked, wrong=wrong, fixed=fixed)
    if wrong > fixed:
        cure = "reindex --from-scratch" if fix else "check --fix"
        raise CommandError(f"The index is not right: forumsvc search {cure}")


@search.command()
@click.argument("query")
@pass_context
def explain(context: Context, query: str) -> None:
    """Show how a query is understood, and how many posts the index proposes."""
    database = context.current_database()
    parsed = parse_query(query)
    with database.reads.connect() as db:
        search = Search(
            parsed,
            node_id=_known_id(nodes.id_of, db, "node", parsed.node),
            user_id=_known_id(users.id_of, db, "user", parsed.by),
            where=parsed.where or Where.ALL,
            order=parsed.order or Order.RELEVANCE,
        )
        began = time.perf_counter()
        proposed = searching.candidates(db, search)
        indexed = time.perf_counter()
        posts, _ = searching.find_topics(db, search, clock.now(), 0, 20)
        ended = time.perf_counter()
    counts = {name: len(ids) for name, ids in proposed._asdict().items()}
    values: dict[str, Any] = {
        "query": understood(search),
        "candidates": counts,
        "topics": [post.found.topic_id for post in posts],
        "milliseconds": {
            "candidates": round(1000 * (indexed - began), 1),
            "all": round(1000 * (ended - indexed), 1),
        },
    }
    shown = {**values.pop("query"), **values}
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in shown.items() if value]
    context.output("\n".join(lines), **shown)


def _known_id(id_of: Callable[[Any, str], int | None], db: Any, kind: str, name: str | None) -> Any:
    if name is None:
        return None
    result = id_of(db, name)
    if result is None:
        raise Invalid("q", f"there is no {kind} '{name}'")
    return result


def _megabytes(db: Any, table: str) -> float | None:
    """Return the size of a table with its indexes, None where it is not known."""
    if db.dialect.name == "postgresql":
        size = text("SELECT pg_total_relation_size(CAST(:name AS regclass))")
        return round(db.scalar(size, {"name": table}) / 1e6, 1)
    sizes = text("SELECT sum(pgsize) FROM dbstat WHERE name = :name OR name LIKE :parts")
    parts = {"name": table, "parts": f"%{table}_%"}
    try:
        return round((db.scalar(sizes, parts) or 0) / 1e6, 1)
    except OperationalError:
        return None  # dbstat is an option of SQLite's build
