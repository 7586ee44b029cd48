"""Measures endpoints and mixes of them beside a bare Pyramid view: `python -m benchmarks.run`.

Real servers, a real PostgreSQL, the load generator on another core than the servers. Compare the
ratios within one run: absolute figures change with the other work of the machine.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from benchmarks import output
from benchmarks.endpoints import AIMS, NOBODY, Endpoint, endpoints, uncached
from benchmarks.measure import Subject, measure
from benchmarks.members import fill, log_in
from benchmarks.request import get
from benchmarks.servers import Server, forum_settings, serve, write_ini
from benchmarks.workload import MAX_TAIL, MEMBER_COUNT, MIX_AIMS, mixes
from tests import postgres

HEAD = (
    *("server", "endpoint", "caller", "processes", "connections", "of the baseline", "aim"),
    *("requests/s", "p50 ms", "p99 ms", "server CPU ms", "database CPU ms", "cores", "MB"),
    "errors",
)
WITHOUT_CACHE = " without page cache"
MIX_HEAD = (
    *("server", "mix", "caller", "of the baseline", "aim", "requests/s", "reads p50 ms"),
    *("reads p99 ms", "reads p99/p50", "writes p50 ms", "writes p99 ms", "server CPU ms"),
    *("database CPU ms", "errors"),
)
MIX_LENGTH = 2.0
"""Seconds of a mix to one of other bursts: a sixth of its requests, or fewer, are writes."""
MAX_IDLE_MEGABYTES = 110.0
"""Memory that a server process may have before the load."""

_Pair = tuple[Subject, Subject]
"""A subject, and that of the baseline beside it."""


@dataclass(frozen=True)
class _Measured:
    """A server, what is measured of it, and the process id of its PostgreSQL."""

    server: Server
    endpoints: list[Endpoint]
    mixes: list[Endpoint] = field(default_factory=list)
    database: int | None = None


def main() -> int:
    """Run the benchmark; 0 if there were no errors."""
    options = _options()
    with output.workspace() as (folder, stack):
        pairs, mixed = _pairs(options, folder, stack)
        output.leave_server_core()
        measure(pairs, options.rounds, options.seconds)
        if mixed:
            measure(mixed, options.rounds, MIX_LENGTH * options.seconds)
        for server in {it.server.pid: it.server for it, _ in pairs + mixed if it.errors}.values():
            print(f"\n{server.name} answered with errors; its log ends so:\n{server.log_tail}")
    conditions = (
        f"Medians of {options.rounds} rounds of {options.seconds:g} s; "
        f"{options.users:,} users, {options.topics:,} topics, {options.replies:,} replies"
    )
    output.publish([HEAD, *(_row(*pair) for pair in pairs)], 3, conditions, options.csv)
    if mixed:
        rows = [MIX_HEAD, *(_mix_row(*pair) for pair in mixed)]
        tail = f"reads' p99 by their p50 is to be at most {MAX_TAIL:g}; {conditions}"
        output.publish(rows, 3, tail, options.mixes_csv)
    return int(any(subject.errors for pair in pairs + mixed for subject in pair))


def _options() -> argparse.Namespace:
    parser = output.options_parser("run", __doc__)
    parser.add_argument("--mixes-csv", type=Path, metavar="FILE", help="write that of mixes there")
    parser.add_argument("--quick", action="store_true", help="a short run: does it work at all?")
    parser.add_argument("--databases", nargs="*", choices=["sqlite", "postgresql"])
    parser.add_argument("--only", default="", help="only endpoints that this pattern finds")
    parser.add_argument("--processes", type=int, nargs="+", help="of each server")
    parser.add_argument("--connections", type=int, nargs="+", default=[16], help="of the load")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one burst of load")
    parser.set_defaults(databases=["postgresql", "sqlite"], processes=[1, 2], members=MEMBER_COUNT)
    if "--quick" in sys.argv:
        parser.set_defaults(rounds=1, seconds=0.2, processes=[1], members=20)
        parser.set_defaults(users=100, topics=300, replies=2_000)
    return parser.parse_args()


def _pairs(
    options: argparse.Namespace, folder: Path, stack: ExitStack
) -> tuple[list[_Pair], list[_Pair]]:
    """Start all servers; return what is measured: of endpoints, and of mixes."""
    baselines = {number: _baseline(folder, stack, number) for number in options.processes}
    # A second one beside the first: how far its ratio is from 1 shows how precise the others are.
    again = _baseline(folder, stack, options.processes[0], " again")
    measured = [_Measured(again, [_empty()])]
    for database in options.databases:
        measured += _forums(options, database, folder, stack)

    def pair(one: _Measured, endpoint: Endpoint, connections: int) -> _Pair:
        beside = Subject(baselines[one.server.processes], _empty(), connections)
        return Subject(one.server, endpoint, connections, one.database), beside

    def is_wanted(one: _Measured, endpoint: Endpoint) -> bool:
        return one.server is again or bool(re.search(options.only, endpoint.name))

    pairs = [
        pair(one, endpoint, connections)
        for one, connections in product(measured, options.connections)
        for endpoint in one.endpoints
        if is_wanted(one, endpoint)
    ]
    mixed = [
        pair(one, mix, options.connections[0])
        for one in measured
        for mix in one.mixes
        if is_wanted(one, mix)
    ]
    return pairs, mixed


def _empty() -> Endpoint:
    return Endpoint("the baseline itself", NOBODY, [get("/")])


def _baseline(folder: Path, stack: ExitStack, processes: int, suffix: str = "") -> Server:
    name = f"baseline{suffix}"
    ini = write_ini(folder, name, {}, factory="benchmarks.baseline:make_app", processes=processes)
    return stack.enter_context(serve(name, ini, processes))


def _forums(
    options: argparse.Namespace, database: str, folder: Path, stack: ExitStack
) -> Iterator[_Measured]:
    """Fill a database, and serve it."""
    print(f"preparing {database} …", flush=True)
    url = output.new_database(database, folder, stack)
    settings = forum_settings(folder, url)
    login = fill(write_ini(folder, f"filling {database}", settings), output.size_of(options))
    pid = postgres.server_pid(url) if database == "postgresql" else None
    members = None
    for number in options.processes:
        server = stack.enter_context(
            serve(database, write_ini(folder, database, settings, processes=number), number)
        )
        at_rest = server.megabytes
        verdict = "reached" if at_rest < MAX_IDLE_MEGABYTES else "too much"
        print(f"{database}: {at_rest:.0f} MB at rest, {verdict}")
        members = members or log_in(server, login, options.members)
        # The mixes are of the first number of processes alone, with and without the page cache.
        mixed = mixes(server, members) if number == options.processes[0] else []
        yield _Measured(server, endpoints(server, members), mixed, pid)
    number, name = options.processes[0], f"{database}{WITHOUT_CACHE}"
    ini = write_ini(folder, name, {**settings, "cache.pages_mb": "0"}, processes=number)
    server = stack.enter_context(serve(name, ini, number))
    yield _Measured(server, uncached(), mixes(server, members) if members else [], pid)


def _row(subject: Subject, baseline: Subject) -> tuple[str, ...]:
    server, endpoint = subject.server, subject.endpoint
    aimed = server.name.startswith("postgresql") and server.processes == 1
    requests = subject.median(lambda sample: sample.burst.requests)
    return (
        *(server.name, endpoint.name, endpoint.caller),
        *(
            str(server.processes),
            str(subject.connections),
            output.ratio(subject.ratio_to(baseline)),
        ),
        output.ratio(AIMS.get((endpoint.name, endpoint.caller)) if aimed else None),
        f"{subject.median(lambda sample: sample.burst.rate):,.0f}",
        f"{1000 * subject.median(lambda sample: sample.burst.p50):.1f}",
        f"{1000 * subject.median(lambda sample: sample.burst.p99):.1f}",
        f"{1000 * subject.median(lambda sample: sample.server_cpu) / requests:.2f}",
        f"{1000 * subject.median(lambda sample: sample.database_cpu) / requests:.2f}",
        f"{subject.median(lambda sample: sample.cores):.2f}",
        f"{subject.samples[-1].megabytes:.0f}",
        str(subject.errors),
    )


def _mix_row(subject: Subject, baseline: Subject) -> tuple[str, ...]:
    server, mix = subject.server, subject.endpoint
    aim = MIX_AIMS.get((mix.name, mix.caller))
    requests = subject.median(lambda sample: sample.burst.requests)
    reads_p50 = subject.median(lambda sample: sample.burst.reads[0])
    reads_p99 = subject.median(lambda sample: sample.burst.reads[1])
    writes_p50 = subject.median(lambda sample: sample.burst.writes[0])
    writes_p99 = subject.median(lambda sample: sample.burst.writes[1])
    return (
        *(server.name, mix.name, mix.caller, output.ratio(subject.ratio_to(baseline))),
        output.ratio(aim if server.name == "postgresql" and server.processes == 1 else None),
        f"{subject.median(lambda sample: sample.burst.rate):,.0f}",
        *(f"{1000 * one:.1f}" for one in (reads_p50, reads_p99)),
        f"{reads_p99 / reads_p50:.1f}",
        *(f"{1000 * one:.1f}" for one in (writes_p50, writes_p99)),
        f"{1000 * subject.median(lambda sample: sample.server_cpu) / requests:.2f}",
        f"{1000 * subject.median(lambda sample: sample.database_cpu) / requests:.2f}",
        str(subject.errors),
    )


if __name__ == "__main__":
    sys.exit(main())
