"""What PostgreSQL does for a statement, as it tells itself."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.captured_sql import Sent

Node = dict[str, Any]
COST = "Cost"
"""The key of a run's milliseconds without those that it waited for a processor."""
_PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def explained(driver: "psycopg.Connection[Any]", sent: Sent, runs: int) -> list[list[Node]]:
    """Run a statement that was sent, planned for its values and planned for any (as a prepared
    statement comes to be), each `runs` times, and return what is said of each run.

    Every element has the keys `Plan` and `Execution Time` of EXPLAIN (ANALYZE, BUFFERS), and COST.
    """
    names = list(dict.fromkeys(_PLACEHOLDER.findall(sent.text)))
    text = _PLACEHOLDER.sub(lambda match: f"${names.index(match[1]) + 1}", sent.text)
    cursor = psycopg.ClientCursor(driver)
    values = ", ".join(cursor.mogrify("%s", [sent.values[name]]) for name in names)
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
    before = _running(cursor)
    row = cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {call}").fetchone()
    spent = _running(cursor) - before
    assert row
    found: Node = row[0][0]
    # On a busy machine much of the time is spent waiting for a processor.
    found[COST] = min(found["Execution Time"], spent or found["Execution Time"])
    return found


def _running(cursor: Any) -> float:
    """Return the milliseconds that the server's process of this connection has computed so far.

    Always 0 where the system does not tell.
    """
    statistics = Path(f"/proc/{cursor.connection.info.backend_pid}/schedstat")
    try:
        return int(statistics.read_text().split()[0]) / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0


def nodes(plan: Node) -> Iterator[Node]:
    """Yield a plan's nodes, each before those below it."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def given(node: Node) -> float:
    """Return how many rows a node gave in all its turns."""
    rows: float = node["Actual Rows"] * node["Actual Loops"]
    return rows


def touched(node: Node) -> float:
    """Return how many rows a node gave, or looked at and threw away."""
    removed = sum(many for name, many in node.items() if name.startswith("Rows Removed by"))
    rows: float = given(node) + removed * node["Actual Loops"]
    return rows


def what(node: Node) -> str:
    """Return what a node reads, empty where it reads nothing by itself."""
    found: str = node.get("Index Name") or node.get("Relation Name") or ""
    return found


def buffers(plan: Node) -> int:
    """Return how many blocks of tables and indexes a plan looked at."""
    return int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"])
