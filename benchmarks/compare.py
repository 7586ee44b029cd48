"""Compares two revisions by turns: `python -m benchmarks.compare REVISION` (see `--help`).

Each revision fills a database of its own and serves it, by its own programs; an endpoint of one is
measured directly after that of the other. The communities are of the same size, and the same where
both revisions make them in the same way.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks import output
from benchmarks.endpoints import Endpoint, endpoints
from benchmarks.measure import Subject, measure
from benchmarks.members import fill, log_in
from benchmarks.servers import ROOT, Server, forum_settings, serve, write_ini
from benchmarks.workload import mixes
from tests import postgres

HEAD = (
    *("endpoint", "caller", "after/before", "requests/s before", "requests/s after"),
    *("CPU ms before", "CPU ms after", "p99 ms before", "p99 ms after", "errors"),
)
MIN_RATIO = 0.9
"""How far a rate may fall, relative to before."""


def main() -> int:
    """Compare; 0 if no rate fell by more than a tenth."""
    options = _options()
    with output.workspace() as (folder, stack):
        before = stack.enter_context(_worktree(folder / "before", options.revision))
        base = output.new_postgresql(folder, stack)
        sides = [
            list(_endpoints(folder, name, root, base, options, stack))
            for name, root in (("before", before), ("after", ROOT))
        ]
        pairs = [
            (Subject(server, one, 16, pid), Subject(another_server, other, 16, pid))
            for server, one, pid in sides[0]
            for another_server, other, _ in sides[1]
            if (one.name, one.caller) == (other.name, other.caller)
            and re.search(options.only, one.name)
        ]
        output.leave_server_core()
        measure(pairs, options.rounds, options.seconds)
    rows = [_row(*pair) for pair in pairs]
    conditions = (
        f"Before is {options.revision}; medians of {options.rounds} rounds by turns, each of "
        f"{options.seconds:g} s; one process, PostgreSQL, 16 connections; processor time of the "
        "server and its database"
    )
    output.publish([HEAD, *rows], 2, conditions, options.csv)
    return int(any(float(row[2]) < MIN_RATIO or row[-1] != "0" for row in rows))


def _options() -> argparse.Namespace:
    parser = output.options_parser("compare", __doc__)
    parser.add_argument("revision", help="what to compare this checkout with: a commit, a tag")
    parser.add_argument("--only", default="", help="only endpoints that this pattern finds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one burst of load")
    return parser.parse_args()


@contextmanager
def _worktree(folder: Path, revision: str) -> Iterator[Path]:
    """Check a revision out into a folder of its own, and remove it afterwards."""
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), revision], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def _endpoints(
    folder: Path,
    name: str,
    root: Path,
    base: str,
    options: argparse.Namespace,
    stack: ExitStack,
) -> Iterator[tuple[Server, Endpoint, int]]:
    """Fill a database and serve it, by a checkout; yield each endpoint with what serves it."""
    print(f"preparing {name} …", flush=True)
    url = postgres.create_database(base, f"forum_{name}")
    ini = write_ini(folder, name, forum_settings(folder, url))
    login = fill(ini, output.size_of(options), root)
    server = stack.enter_context(serve(name, ini, root=root))
    members = log_in(server, login)
    for endpoint in [*endpoints(server, members), *mixes(server, members)]:
        yield server, endpoint, postgres.server_pid(url)


def _row(before: Subject, after: Subject) -> tuple[str, ...]:
    both = (before, after)
    return (
        *(after.endpoint.name, after.endpoint.caller, f"{after.ratio_to(before):.2f}"),
        *(f"{one.median(lambda sample: sample.burst.rate):,.0f}" for one in both),
        *(f"{one.median(lambda sample: sample.cpu_ms):.2f}" for one in both),
        *(f"{1000 * one.median(lambda sample: sample.burst.p99):.1f}" for one in both),
        str(before.errors + after.errors),
    )


if __name__ == "__main__":
    sys.exit(main())
