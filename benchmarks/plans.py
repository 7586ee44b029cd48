"""Every list with its plan on a large PostgreSQL: `python -m benchmarks.plans URL --small URL`.

The statements are those that the forum sends, taken from its driver; a row stands for all that
answer a request, but for the token's. Cost is what EXPLAIN (ANALYZE, BUFFERS) says of the best of
several runs, without the time in which others had the processor, planned for the values or for any,
whichever is dearer: PostgreSQL may do either.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webob import Request

import forumsvc
from benchmarks.captured_sql import CapturedStatement, StatementCapture
from benchmarks.community import Community
from benchmarks.explain import (
    COST,
    Node,
    buffer_count,
    explain,
    nodes,
    relation_name,
    rows_examined,
    rows_returned,
)
from benchmarks.lists import List, lists
from benchmarks.program import publish, workspace
from benchmarks.servers import forum_settings
from benchmarks.table import markdown
from tests.functional.conftest import close_application

DEEP = 100_000
MOST_GROWTH, MAX_DEEP = 1.5, 20.0
"""The limit for the first page of a list relative to its cost in the small database, and for a deep
page in milliseconds."""
SLACK = 0.1
"""Milliseconds; smaller differences are random and no growth."""
RUNS, TURNS = 10, 4
HEAD = ("list", "offset", "rows", "ms", "at the small one", "buffers", "plan")
PART = "plans"


@dataclass(frozen=True)
class Cost:
    """The cost of one page of a list. rows: on the page; plan: the nodes that read, with rows."""

    listed: List
    offset: int
    rows: int
    milliseconds: float
    buffers: int
    plan: str


class Explainer:
    """Requests lists of a forum in this process, and explains their statements in its database."""

    def __init__(self, url: str, folder: Path) -> None:
        settings = {**forum_settings(folder, url), "cache.pages_mb": "0"}
        self._app = forumsvc.main({"here": str(folder)}, **settings)
        self._database = self._app.registry.database
        self._capture = StatementCapture(self._database)
        self._community = Community(url)
        # On the forum's own settings of a connection that reads.
        self._connection = self._database.reads.connect()
        self._driver: Any = self._connection.connection.driver_connection

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()
        self._community.close()
        close_application(self._app)

    def lists(self) -> list[List]:
        """Return every list there is."""
        with self._database.reads.connect() as db:
            return lists(db)

    def cost(self, listed: List, offset: int) -> Cost:
        """Return the cost of a page of a list."""
        request = Request.blank(f"/api/v3{listed.page(offset)}", base_url="http://127.0.0.1")
        if listed.reader is not None:
            (token,) = self._community.access_tokens([listed.reader])
            request.headers["Authorization"] = f"Bearer {token}"
        with self._capture.capture() as captured:
            answer = request.get_response(self._app)
        if answer.status_int != 200:
            raise RuntimeError(f"{request.path_qs}: {answer.status} {answer.text}")
        statements = [one for one in captured if "oauth_tokens" not in one.text]
        costs = [self._explain_slower_plan(one) for one in statements]
        return Cost(
            listed,
            offset,
            len(answer.json),
            sum(milliseconds for milliseconds, _ in costs),
            sum(buffer_count(plan) for _, plan in costs),
            "; ".join(", ".join(_describe_reads(plan)) for _, plan in costs),
        )

    def _explain_slower_plan(self, statement: CapturedStatement) -> tuple[float, Node]:
        """Return the milliseconds and the plan of a statement, as planned the dearer way."""
        explanations = explain(self._driver, statement, RUNS)
        times = [min(run[COST] for run in runs) for runs in explanations]
        slow = times.index(max(times))
        return times[slow], explanations[slow][-1]["Plan"]


def _describe_reads(plan: Node) -> Iterator[str]:
    """Yield the nodes of a plan that read a table or sort, with the rows of all their loops."""
    for node in nodes(plan):
        kind, rows, seen = node["Node Type"], rows_returned(node), rows_examined(node)
        how = {"Index Only Scan": " only", "Seq Scan": " whole"}.get(kind, "")
        dropped = f" of {seen:,.0f}" if seen > rows else ""
        if name := relation_name(node):
            yield f"{name}{how} {rows:,.0f}{dropped}"
        elif "Sort" in kind:
            yield f"sort {rows:,.0f}"


def main() -> int:
    """Explain and report; 0 if every list stays within its limits."""
    options = _options()
    return int(not report(options.url, options.small, options.only, options.markdown))


def report(url: str, small_url: str, only: str = "", markdown_file: Path | None = None) -> bool:
    """Print the table of all lists and return whether each stays within its limits.

    url, small_url: of the large and of the small database; only: a pattern for names of lists.
    """
    with workspace() as (folder, stack):
        own, other = Explainer(url, folder), Explainer(small_url, folder)
        stack.callback(own.close)
        stack.callback(other.close)
        large, fronts = _costs(own, other, only)
    wrong = [cost for cost in large if not _is_within_limits(cost, fronts)]
    rows = [_row(cost, fronts, cost in wrong) for cost in large]
    text = markdown([HEAD, *rows], text_columns=1)
    text += f"\n\n{len(large)} pages, {len(wrong)} beyond their bounds (marked !)."
    publish(text, PART, markdown_file)
    return not wrong


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plans", description=__doc__)
    parser.add_argument("url", help="of a large PostgreSQL, filled by `forumsvc demo`")
    parser.add_argument("--small", required=True, help="of one with 10,000 topics")
    parser.add_argument("--only", default="", help="only lists that this pattern finds")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there, too")
    return parser.parse_args()


def _costs(large: Explainer, small: Explainer, only: str) -> tuple[list[Cost], dict[str, float]]:
    """Return what every list costs in the large database, and its front's milliseconds in the small
    one by name. Both are measured by turns, because the machine has other work.
    """
    fronts: dict[str, float] = {}
    costs = []
    others = {listed.name: listed for listed in small.lists()}
    for listed in large.lists():
        if not re.search(only, listed.name):
            continue
        turns = [(large.cost(listed, 0), small.cost(others[listed.name], 0)) for _ in range(TURNS)]
        costs.append(min((own for own, _ in turns), key=lambda cost: cost.milliseconds))
        fronts[listed.name] = min(other.milliseconds for _, other in turns)
        deep = min(DEEP, listed.rows - 20)
        if listed.paged and deep > 0:
            costs.append(large.cost(listed, deep))
    return costs, fronts


def _is_within_limits(cost: Cost, fronts: dict[str, float]) -> bool:
    if cost.offset:
        return cost.milliseconds <= MAX_DEEP
    front = fronts[cost.listed.name]
    return cost.milliseconds <= max(MOST_GROWTH * front, front + SLACK)


def _row(cost: Cost, fronts: dict[str, float], wrong: bool) -> tuple[str, ...]:
    front = fronts[cost.listed.name]
    return (
        cost.listed.name,
        f"{cost.offset:,}",
        str(cost.rows),
        f"{'! ' if wrong else ''}{cost.milliseconds:.2f}",
        "" if cost.offset else f"{front:.2f}",
        f"{cost.buffers:,}",
        cost.plan,
    )


if __name__ == "__main__":
    sys.exit(main())
