"""No list reads more rows than its page needs: each has an index in its order, and uses it.

The statements are those that the driver gets; the database tells how it runs them.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection

from benchmarks.lists import lists
from benchmarks.sent import Sent, Watch
from forumsvc.demo import Size, load
from forumsvc.markup import RENDERER_VERSION
from forumsvc.models import Favorite, Notification, Reply, Topic, User, UserFollow
from tests.functional.conftest import MakeForum

SIZE = Size(users=60, topics=4000, replies=6000)
PAGE = 20
MOST = 10 * PAGE
"""Rows that a part of a plan may touch: a page, all nodes, all users; not all of what is listed."""
LONG = {model.__tablename__ for model in (Topic, Reply, Notification, Favorite, UserFollow, User)}


def too_much(db: Connection, sent: Sent) -> list[str]:
    """Return what a statement's plan says of reading more than it needs."""
    if db.dialect.name == "sqlite":
        return list(_sqlite(db, sent))
    driver: Any = db.connection.driver_connection
    explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sent.text}"
    (found,) = driver.execute(explain, sent.values).fetchone()
    return [
        f"{node['Node Type']} {node.get('Index Name', node.get('Relation Name', ''))}: {rows} rows"
        for node in _nodes(found[0]["Plan"])
        if (rows := _touched(node)) > MOST
    ]


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for below in node.get("Plans", ()):
        yield from _nodes(below)


def _touched(node: dict[str, Any]) -> float:
    """Return how many rows a node of PostgreSQL's plan gave, or read and threw away."""
    removed = sum(many for name, many in node.items() if name.startswith("Rows Removed by"))
    return (node["Actual Rows"] + removed) * node["Actual Loops"]


def _sqlite(db: Connection, sent: Sent) -> Iterator[str]:
    """Yield the steps of SQLite's plan that read a long table as a whole, or sort before the cut.

    Rows are sorted after the cut only at the top of the plan, of which a page is left.
    """
    for _, parent, _, step in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {sent.text}"):
        words = step.split()
        scans = words[0] == "SCAN" and words[1] in LONG and "INDEX" not in words
        sorts = step.startswith("USE TEMP B-TREE") and parent
        if scans or sorts:
            yield step


def test_every_list_reads_a_page_and_no_more(make_forum: MakeForum) -> None:
    forum = make_forum()
    watch = Watch(forum.registry.database)
    load(
        forum.database.writes,
        SIZE,
        1,
        password_hash=None,
        render=lambda text: f"<p>{text}</p>",
        markup_version=RENDERER_VERSION,
    )
    with forum.database.reads.connect() as db:
        wrong = {}
        for listed in lists(db):
            caller = forum.caller(forum.token(listed.reader)) if listed.reader else forum.nobody
            with watch.noting() as statements:
                answer = caller.get(listed.page(0, PAGE))
            assert answer.json, listed.path
            assert statements, listed.path
            found = [what for sent in statements for what in too_much(db, sent)]
            if found:
                wrong[listed.name] = found
    assert not wrong


@pytest.mark.parametrize("index", ["ix_topics_active", "ix_replies_topic_id_id"])
def test_a_list_without_its_index_is_found_out(make_forum: MakeForum, index: str) -> None:
    pass
