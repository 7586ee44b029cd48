"""Explains a statement by PostgreSQL's EXPLAIN."""

import re
from collections.abc import Iterator
from typing import Any

import psycopg

from tests.functional.captured_sql import CapturedStatement

Node = dict[str, Any]
_PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def explain(driver: "psycopg.Connection[Any]", statement: CapturedStatement) -> list[Node]:
    """Run a captured statement twice, and return the plan of each run, by EXPLAIN (ANALYZE).

    The first is planned for its values, the second with a generic plan, as a prepared statement
    may get.
    """
    names = list(dict.fromkeys(_PLACEHOLDER.findall(statement.text)))
    text = _PLACEHOLDER.sub(lambda match: f"${names.index(match[1]) + 1}", statement.text)
    cursor = psycopg.ClientCursor(driver)
    values = ", ".join(cursor.mogrify("%s", [statement.values[name]]) for name in names)
    call = f"EXECUTE explained({values})" if names else "EXECUTE explained"
    cursor.execute(f"PREPARE explained AS {text.replace('%%', '%')}")
    plans = []
    for mode in ("force_custom_plan", "force_generic_plan"):
        cursor.execute(f"SET plan_cache_mode = {mode}")
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {call}")
        for (explained,) in cursor.fetchall():
            plans.append(explained[0]["Plan"])
    cursor.execute("DEALLOCATE explained")
    return plans


def nodes(plan: Node) -> Iterator[Node]:
    """Yield a plan's nodes, each before its children."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def rows_examined(node: Node) -> float:
    """Return how many rows a node returned or removed by a filter, in all its loops."""
    removed = sum(many for name, many in node.items() if name.startswith("Rows Removed by"))
    return float((node["Actual Rows"] + removed) * node["Actual Loops"])


def relation_name(node: Node) -> str:
    """Return the name of the table or index that a node reads, empty if it reads none."""
    return str(node.get("Index Name") or node.get("Relation Name") or "")
