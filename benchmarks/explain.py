"""Explains a statement by PostgreSQL's EXPLAIN."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.captured_sql import CapturedStatement

Node = dict[str, Any]
COST = "Cost"
"""The key of a run's milliseconds without the time that it waited for a processor."""
_PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def explain(
    driver: "psycopg.Connection[Any]", statement: CapturedStatement, runs: int
) -> list[list[Node]]:
    """Run a captured statement and return the explanation of each run.

    It runs `runs` times planned for its values, then `runs` times with a generic plan, as a
    prepared statement may get. Every element has the keys `Plan` and `Execution Time` of
    EXPLAIN (ANALYZE, BUFFERS), and COST.
    """
    names = list(dict.fromkeys(_PLACEHOLDER.findall(statement.text)))
    text = _PLACEHOLDER.sub(lambda match: f"${names.index(match[1]) + 1}", statement.text)
    cursor = psycopg.ClientCursor(driver)
    values = ", ".join(cursor.mogrify("%s", [statement.values[name]]) for name in names)
    call = f"EXECUTE explained({values})" if names else "EXECUTE explained"
    cursor.execute(f"PREPARE explained AS {text.replace('%%', '%')}")
    try:
        return [
            [_explain(cursor, call) for _ in range(runs)]
            for mode in ("force_custom_plan", "force_generic_plan")
            if cursor.execute(f"SET plan_cache_mode = {mode}")
        ]
    finally:
        cursor.execute("DEALLOCATE explained")


def _explain(cursor: Any, call: str) -> Node:
    before = _backend_cpu_ms(cursor)
    row = cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {call}").fetchone()
    spent = _backend_cpu_ms(cursor) - before
    assert row
    found: Node = row[0][0]
    # On a busy machine much of the execution time is waiting for a processor.
    found[COST] = min(found["Execution Time"], spent or found["Execution Time"])
    return found


def _backend_cpu_ms(cursor: Any) -> float:
    """Return the processor time in milliseconds of this connection's backend process so far.

    0 if the system does not report it.
    """
    statistics = Path(f"/proc/{cursor.connection.info.backend_pid}/schedstat")
    try:
        return int(statistics.read_text().split()[0]) / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0


def nodes(plan: Node) -> Iterator[Node]:
    """Yield a plan's nodes, each before its children."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def rows_returned(node: Node) -> float:
    """Return how many rows a node returned in all its loops."""
    rows: float = node["Actual Rows"] * node["Actual Loops"]
    return rows


def rows_examined(node: Node) -> float:
    """Return how many rows a node returned or removed by a filter."""
    removed = sum(many for name, many in node.items() if name.startswith("Rows Removed by"))
    rows: float = rows_returned(node) + removed * node["Actual Loops"]
    return rows


def relation_name(node: Node) -> str:
    """Return the name of the table or index that a node reads, empty if it reads none."""
    found: str = node.get("Index Name") or node.get("Relation Name") or ""
    return found


def buffer_count(plan: Node) -> int:
    """Return how many blocks of tables and indexes a plan read."""
    return int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"])
