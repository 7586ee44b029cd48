"""Measures the service beside the Pyramid baseline: `python -m benchmarks.run` (see `--help`).

Real servers, a real PostgreSQL, the load generator on another core than the servers. Compare the
ratios within one run: absolute figures change with the other work of the machine.
"""

import argparse
import re
import sys
from contextlib import ExitStack
from pathlib import Path

from benchmarks import figure, load, machine, report
from benchmarks.measure import MeasurementPlan, Result, Subject, measure
from benchmarks.program import leave_server_core, options_parser, publish, size_of, workspace
from benchmarks.server_set import Loads, ServerSet
from benchmarks.servers import Server
from benchmarks.usage import resident_megabytes, worker_pids

PART, SQLITE_PART = "benchmark", "benchmark on SQLite"
"""The names of the generated parts of the Markdown file: the latter of SQLite alone."""


def main() -> int:
    """Run the benchmark; 0 if there were no errors."""
    options = _options()
    driver, make_load = load.choose(options.driver)
    plan = MeasurementPlan(make_load, options.rounds, options.seconds)
    where = machine.describe()
    with workspace() as (folder, stack):
        subjects = _subjects(options, folder, stack)
        at_rest = _memory(subjects)
        leave_server_core()
        results = measure(subjects, plan)
        for server in _failing(results):
            print(f"\n{server.name} answered with errors; its log ends so:\n{server.log_tail}")
    text = "\n\n".join(
        [report.text(results, at_rest), _conditions(options, driver), f"Machine: {where}."]
    )
    publish(text, PART if "postgresql" in options.databases else SQLITE_PART, options.markdown)
    if options.markdown:
        figure.draw(options.markdown)
    return int(any(result.errors for result in results))


def _options() -> argparse.Namespace:
    """Read the command line."""
    parser = options_parser("run", __doc__)
    parser.add_argument("--quick", action="store_true", help="a short run: does it work at all?")
    parser.add_argument("--databases", nargs="*", choices=["sqlite", "postgresql"])
    parser.add_argument(
        "--url", help="measure on this PostgreSQL of this machine, which is filled already"
    )
    parser.add_argument("--only", default="", help="only endpoints that this pattern finds")
    parser.add_argument("--processes", type=int, nargs="+", help="of each server")
    parser.add_argument("--threads", type=int, default=8, help="of each process")
    parser.add_argument(
        "--connections", type=int, nargs="+", default=[16], help="of the load generator"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one burst of load")
    parser.add_argument("--driver", choices=["auto", "wrk", "python"], default="auto")
    parser.set_defaults(databases=["postgresql", "sqlite"], processes=[1, 2])
    if "--quick" in sys.argv:
        parser.set_defaults(rounds=1, seconds=0.2, driver="python", processes=[1])
        parser.set_defaults(users=100, topics=300, replies=2_000)
    options = parser.parse_args()
    options.processes = sorted(set(options.processes))
    return options


def _subjects(options: argparse.Namespace, folder: Path, stack: ExitStack) -> list[Subject]:
    """Start all servers; return the subjects to measure."""
    loads = Loads(options.processes, options.threads, options.connections, options.seconds)
    size = size_of(options)
    server_set = ServerSet(folder, loads, stack)
    subjects: list[Subject] = []
    if "postgresql" in options.databases:
        subjects += server_set.postgresql(size, options.url)
    if "sqlite" in options.databases:
        subjects += server_set.sqlite(size)
    pattern = re.compile(options.only)
    return [
        *server_set.control(),
        *(subject for subject in subjects if pattern.search(subject.endpoint.name)),
    ]


def _memory(subjects: list[Subject]) -> dict[str, float]:
    """Return the memory in MB of each server's largest worker process, by the server's name."""
    pids = {subject.server.name: subject.server.pid for subject in subjects}
    return {name: max(map(resident_megabytes, worker_pids(pid))) for name, pid in pids.items()}


def _failing(results: list[Result]) -> list[Server]:
    """Return the servers that returned errors."""
    failing = [result.subject.server for result in results if result.errors]
    return list({server.pid: server for server in failing}.values())


def _conditions(options: argparse.Namespace, driver: str) -> str:
    """Describe the conditions of the measurement."""
    generator = machine.wrk_version() if driver == "wrk" else "the bundled Python driver"
    filled = (
        f"a database of its own ({options.url.rpartition('/')[2]})"
        if options.url
        else f"{options.users:,} users, {options.topics:,} topics, {options.replies:,} replies"
    )
    return (
        f"Every process pinned to a core, with {options.threads} threads; load by {generator} "
        f"from the first core; medians of {options.rounds} rounds of {options.seconds:g} s, "
        f"each beside one of the Pyramid baseline; {filled}."
    )


if __name__ == "__main__":
    sys.exit(main())
