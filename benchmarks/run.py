"""Measures the service beside the empty view: `python -m benchmarks.run` (see `--help`).

Real servers, a real PostgreSQL, the load generator on another core than the servers. What counts
are the ratios within one run: absolute figures drift with the machine's other work.
"""

import argparse
import os
import re
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks import load, report
from benchmarks.community import Endpoint, Size, endpoints, fill
from benchmarks.measure import EMPTY, Plan, Subject, measure
from benchmarks.servers import Server, forum_settings, serve, write_ini
from benchmarks.usage import resident_megabytes, serving
from tests import postgres


def main() -> int:
    """Run the benchmark; 0 where every request was answered well."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    driver, make_load = load.choose(options.driver)
    plan = Plan(make_load, options.connections, options.rounds, options.seconds)
    machine = report.machine()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forumsvc-bench-")))
        empty, subjects = _start(options, folder, stack)
        at_rest = _memory(subjects)
        _leave_the_servers_core()
        results = measure(subjects, empty, plan)
        for server in {
            id(r.subject.server): r.subject.server for r in results if r.errors
        }.values():
            print(f"\n{server.name} answered with errors; its log ends so:\n{server.said}")
        text = "\n".join(
            [
                report.markdown(report.rows(results)),
                "",
                _conditions(options, driver),
                "",
                f"Memory of a serving process, at rest and after the load: "
                f"{_changes(at_rest, _memory(subjects))}.",
                "",
                f"Machine: {machine}.",
            ]
        )
    print(f"\n{text}")
    if options.markdown:
        options.markdown.write_text(text + "\n", encoding="utf-8")
    return int(any(result.errors for result in results))


def _options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short run: does it work at all?")
    parser.add_argument("--databases", nargs="*", choices=["sqlite", "postgresql"])
    parser.add_argument("--only", default="", help="only endpoints that this pattern finds")
    parser.add_argument("--processes", type=int, default=1, help="of each server")
    parser.add_argument("--threads", type=int, default=8, help="of each process")
    parser.add_argument("--connections", type=int, default=16, help="of the load generator")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one burst of load")
    parser.add_argument("--driver", choices=["auto", "wrk", "python"], default="auto")
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--topics", type=int, default=10_000)
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there, too")
    parser.set_defaults(databases=["sqlite", "postgresql"])
    if "--quick" in sys.argv:
        parser.set_defaults(rounds=1, seconds=0.3, driver="python")
        parser.set_defaults(users=100, topics=300, replies=2_000)
    return parser.parse_args()


def _start(
    options: argparse.Namespace, folder: Path, stack: ExitStack
) -> tuple[Server, list[Subject]]:
    """Start all servers; return the empty view's, and what is to be measured."""

    def start(name: str, factory: str, database: str | None = None) -> Server:
        settings = forum_settings(folder, database) if database else {}
        ini = write_ini(folder, name, factory, settings, options.threads, options.processes)
        if database:
            print(f"filling {name} …", flush=True)
            fill(ini, Size(options.users, options.topics, options.replies))
        return stack.enter_context(serve(name, ini, options.processes, database))

    empty = start("empty", "benchmarks.empty:make_app")
    # A second one beside the first: how far its ratio is from 1 shows what the others are worth.
    again = start("empty, again", "benchmarks.empty:make_app")
    subjects = [Subject(again, Endpoint("empty view", "nobody", EMPTY))]
    for database in options.databases:
        pid = None
        url = f"sqlite:///{folder}/forum.sqlite"
        if database == "postgresql":
            base = postgres.server(folder, postgres.DURABLE)
            stack.callback(postgres.leave, folder, wait=30)
            url, pid = postgres.create_database(base, "forum"), postgres.server_pid(base)
        forum = start(database, "forumsvc:main", url)
        subjects += [Subject(forum, endpoint, pid) for endpoint in endpoints(forum)]
    wanted = re.compile(options.only)
    return empty, [
        subject
        for subject in subjects
        if subject.server is again or wanted.search(subject.endpoint.name)
    ]


def _leave_the_servers_core() -> None:
    """Move this process, and so the load generators, to the cores that no single server is on."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:-1] or cores)


def _memory(subjects: list[Subject]) -> dict[str, float]:
    """Return the memory in MB of each server's largest serving process, by the server's name."""
    pids = {subject.server.name: subject.server.pid for subject in subjects}
    return {name: max(map(resident_megabytes, serving(pid))) for name, pid in pids.items()}


def _changes(before: dict[str, float], after: dict[str, float]) -> str:
    """Write two states of memory side by side."""
    return "; ".join(f"{name} {before[name]:.0f} MB, {after[name]:.0f} MB" for name in before)


def _conditions(options: argparse.Namespace, driver: str) -> str:
    """Say how the figures came about."""
    generator = report.wrk_version() if driver == "wrk" else "the bundled Python driver"
    return (
        f"{options.processes} pinned process(es) of {options.threads} threads each, "
        f"{options.connections} connections by {generator} on another core; "
        f"medians of {options.rounds} rounds of {options.seconds:g} s, each beside one of the "
        f"empty view; {options.users:,} users, {options.topics:,} topics, "
        f"{options.replies:,} replies."
    )


if __name__ == "__main__":
    sys.exit(main())
