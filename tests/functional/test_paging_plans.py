"""A page at a cursor is a search of an index, which costs the same at any depth of a list."""

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import Connection

from forumsvc.db import keyset_paging
from forumsvc.db.engine import Database
from tests.functional.forum import Caller, Forum
from tests.functional.paging import LISTS, full, links, with_
from tests.functional.test_list_plans import AS_IF_LARGE
from tests.functional.test_query_budgets import Scene

pytestmark = pytest.mark.both_databases

ROWS, LIMIT = 400, 20
DEEP = 150
"""The depths of the tested pages; most rows of the lists are equal but for their ids."""


class Reading:
    """The SQL of the lists, with all values as literals."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.sql = ""

    def note(self, db: Any, statement: Any, values: dict[str, Any]) -> None:
        self.sql = str(
            statement.params(values).compile(
                self._database.reads, compile_kwargs={"literal_binds": True}
            )
        )


@pytest.fixture
def reading(database: Database, monkeypatch: pytest.MonkeyPatch) -> Reading:
    """The last statement of a list."""
    reading, run = Reading(database), keyset_paging.rows

    def rows(db: Any, statement: Any, values: dict[str, Any]) -> Any:
        reading.note(db, statement, values)
        return run(db, statement, values)

    monkeypatch.setattr(keyset_paging, "rows", rows)
    return reading


@pytest.fixture
def scene(forum: Forum) -> Scene:
    return full(forum, ROWS)


def test_a_page_at_any_depth_costs_as_much_as_the_first(scene, reading, database):
    if not database.is_sqlite:
        with database.writes.begin() as connection:
            connection.exec_driver_sql("ANALYZE")
    with database.reads.connect() as connection:
        cost = _steps if database.is_sqlite else _rows_looked_at
        if not database.is_sqlite:
            # In tables this small another plan may be as good: only test whether this is possible.
            connection.exec_driver_sql(AS_IF_LARGE)
        for path in map(scene.path, LISTS):
            costs: list[int] = []
            # Not the author for topics, because that reads and skips the rows of blocked users.
            caller = scene.forum.nobody if path.startswith("/topics") else scene.author
            for page in pages(caller, path):
                assert len(caller.get(page).json) == LIMIT, page
                costs.append(cost(connection, reading.sql))
            first, *others = costs
            assert max(others) <= 2 * first, (path, costs)
        connection.invalidate()


def pages(caller: Caller, path: str) -> Iterator[str]:
    """Yield the paths of a list's first page, and of pages far down after and before a cursor."""
    yield with_(path, limit=LIMIT)
    for relation in ("next", "prev"):
        yield links(caller.get(path, offset=DEEP, limit=LIMIT))[relation]


def _steps(connection: Connection, sql: str) -> int:
    """Return the number of steps of SQLite's virtual machine."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    driver: Any = connection.connection.driver_connection
    driver.set_progress_handler(step, 1)
    with closing(driver.execute(sql)) as cursor:
        cursor.fetchall()
    driver.set_progress_handler(None, 1)
    return steps


def _rows_looked_at(connection: Connection, sql: str) -> int:
    """Return the number of rows that PostgreSQL reads for the page, which it must not sort."""
    found = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}").scalar_one()
    plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    [limit] = [node for node in _nodes(plan) if node["Node Type"] == "Limit"]
    inside = [*_nodes(limit)]
    assert not [node for node in inside if "Sort" in node["Node Type"]], plan
    return sum(
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        for node in inside
        if "Scan" in node["Node Type"]
    )


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)
