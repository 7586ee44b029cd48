"""No list reads more rows than its page needs: each has an index in its order, and uses it.

The statements are those that the driver gets, and the database tells what it did for them.
"""

from typing import Any

import pytest
from sqlalchemy import Connection, select, text

from benchmarks.fill import Size, multiply
from forumsvc.demo import load
from forumsvc.markup import Renderer
from forumsvc.models import Base, Topic, TopicRead
from tests.databases import on_postgresql
from tests.functional.captured_sql import CapturedStatement, StatementCapture
from tests.functional.conftest import MakeForum
from tests.functional.every_list import List, lists
from tests.functional.explain import explain, nodes, relation_name, rows_examined
from tests.functional.forum import Forum
from tests.functional.rows import insert_rows

pytestmark = pytest.mark.both_databases

SIZE = Size(users=1000, topics=4000, replies=12_000)
PAGE = 20
MOST_ROWS = 100
"""Rows that a node of PostgreSQL's plan may read: a page, or all nodes; not a whole list."""
MOST_STEPS = 4000
"""Steps of SQLite's virtual machine: a page takes up to 1,600, reading all topics 20,000."""
AS_IF_LARGE = "; ".join(
    [
        *(
            f"SET enable_{way} = off"
            for way in ("seqscan", "bitmapscan", "hashjoin", "mergejoin", "material")
        ),
        "SET random_page_cost = 1",
    ]
)
"""Lets PostgreSQL plan for a few rows as for millions: by an index where there is one."""


@pytest.fixture
def demo(make_forum: MakeForum) -> tuple[Forum, StatementCapture]:
    """A forum with demo data, and a recorder of its SQL."""
    forum = make_forum()
    watch = StatementCapture(forum.registry.database)
    load(forum.database, renderer=Renderer(workers=0))
    multiply(forum.database, SIZE)
    return forum, watch


def too_much(forum: Forum, watch: StatementCapture, db: Connection, listed: List) -> list[str]:
    """Return the parts of plans that read more than the first page of a list needs."""
    caller = forum.caller(forum.token(listed.reader)) if listed.reader else forum.nobody
    with watch.capture() as noted:
        answer = caller.get(listed.page(0, PAGE))
    assert answer.json, listed.path
    assert noted, listed.path
    driver: Any = db.connection.driver_connection
    if db.dialect.name == "sqlite":
        return [found for sent in noted for found in of_sqlite(driver, sent)]
    driver.execute(AS_IF_LARGE)
    try:
        return [found for sent in noted for found in of_postgresql(driver, sent)]
    finally:
        driver.execute("RESET ALL")


def of_postgresql(driver: Any, sent: CapturedStatement, most: int = MOST_ROWS) -> list[str]:
    """Return the parts of a statement's plans that read more rows than `most`."""
    return [
        f"{node['Node Type']} {relation_name(node)}: {rows_examined(node):.0f} rows"
        for plan in explain(driver, sent)
        for node in nodes(plan)
        if rows_examined(node) > most
    ]


def of_sqlite(driver: Any, sent: CapturedStatement) -> list[str]:
    """Return a statement that takes too many steps, with its plan."""
    tens = []
    driver.set_progress_handler(lambda: tens.append(10), 10)
    driver.execute(sent.text).fetchall()
    driver.set_progress_handler(None, 0)
    if sum(tens) <= MOST_STEPS:
        return []
    plan = [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {sent.text}")]
    return [f"{sum(tens)} steps: {'; '.join(plan)}"]


def test_every_list_reads_a_page_and_no_more(demo):
    forum, watch = demo
    with forum.database.reads.connect() as db:
        found = {listed.name: too_much(forum, watch, db, listed) for listed in lists(db)}
    assert len(found) >= 24
    assert {name: much for name, much in found.items() if much} == {}


def test_a_list_without_its_index_is_detected(demo):
    forum, watch = demo
    indexes = {
        "topics, last_actived": "ix_topics_active",
        "replies of a topic": "ix_replies_topic_id_id",
    }
    with forum.database.writes.begin() as connection:
        for index in indexes.values():
            connection.execute(text(f"DROP INDEX {index}"))
    try:
        with forum.database.reads.connect() as db:
            for listed in lists(db):
                if listed.name in indexes:
                    assert too_much(forum, watch, db, listed), listed.name
    finally:
        with forum.database.writes.begin() as connection:
            # SQLite still refers to an index that another connection dropped, until the next read.
            connection.execute(text("SELECT id FROM topics LIMIT 1"))
            for index in indexes.values():
                table = Base.metadata.tables[index.split("_")[1]]
                next(one for one in table.indexes if one.name == index).create(connection)


@on_postgresql
def test_unread_topics_are_found_by_the_places_of_the_reader(demo):
    forum, watch = demo
    reader, count = forum.person("reader"), 400
    with forum.database.session.begin() as db:
        topics = db.scalars(select(Topic.id).order_by(Topic.id.desc()).limit(count)).all()
        insert_rows(db, TopicRead, ({"user_id": reader.id, "topic_id": one} for one in topics))
        db.execute(text("ANALYZE topic_reads"))
    with forum.database.reads.connect() as db:
        driver: Any = db.connection.driver_connection
        with watch.capture() as noted:
            assert reader.get("/topics?type=unread").json
        driver.execute("SET enable_seqscan = off")
        assert [found for sent in noted for found in of_postgresql(driver, sent, count)] == []
