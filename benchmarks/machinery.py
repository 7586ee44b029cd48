"""Measures own machinery beside the plain way: `python -m benchmarks.machinery` (see `--help`).

Both ways run at the same time on one database and are measured by turns. What counts is the
quotient of two rates of one round.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from benchmarks import load, machine
from benchmarks.community import Community, fill
from benchmarks.endpoints import LIST, MEMBER, MEMBERS, NOBODY, Endpoint, endpoints
from benchmarks.program import (
    leave_server_core,
    new_database,
    options_parser,
    publish,
    size_of,
    workspace,
)
from benchmarks.servers import Server, forum_settings, serve, write_ini
from benchmarks.table import markdown
from benchmarks.usage import cpu_seconds

PART = "machinery"
HEAD = (
    *("machinery", "plain way", "database", "endpoint", "caller"),
    *("own/plain", "CPU ms own", "plain", "p99 ms own", "plain"),
)
CONNECTIONS = 16
ONE_TOPIC = "create reply, one topic"

Key = tuple[str, str]
"""An endpoint's name and caller."""

READS: tuple[Key, ...] = ((LIST, NOBODY), (LIST, MEMBER), ("topic detail", NOBODY))
REPLIES: tuple[Key, ...] = (("create reply", MEMBER), ("create reply", MEMBERS))


@dataclass(frozen=True)
class Variant:
    """One way to serve: what differs from the default in the ini file."""

    name: str
    factory: str = "forumsvc:main"
    settings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """A piece of machinery beside the plain way, at some endpoints."""

    own: Variant
    plain: Variant
    endpoints: tuple[Key, ...]
    databases: tuple[str, ...] = ("postgresql", "sqlite")


@dataclass(frozen=True)
class Sample:
    """One burst: answers a second, milliseconds of the server's CPU time a request, p99 in ms."""

    rate: float
    cpu: float
    p99: float


NO_CACHE = {"cache.pages_mb": "0"}
COMPARISONS = (
    Comparison(
        Variant("page cache"),
        Variant("none", settings=NO_CACHE),
        (*READS, ("20 replies", NOBODY), ("19 reads, 1 reply", "both")),
    ),
    Comparison(
        Variant("slow work before the view"),
        Variant("within the view", "benchmarks.variants:slow_work_in_view"),
        (*REPLIES, (ONE_TOPIC, MEMBERS)),
    ),
)


def main() -> int:
    """Measure and print the table; 0 if there were no errors."""
    parser = options_parser("machinery", __doc__)
    parser.add_argument("--databases", nargs="*", default=["postgresql", "sqlite"])
    parser.add_argument("--only", default="", help="only machinery that this pattern finds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one burst of load")
    parser.add_argument("--driver", choices=["auto", "wrk", "python"], default="auto")
    options = parser.parse_args()
    driver, make_load = load.choose(options.driver)
    where = machine.describe()
    leave_server_core()
    rows: list[tuple[str, ...]] = []
    errors = 0
    with workspace() as (folder, stack):
        for database in options.databases:
            url = new_database(database, folder, stack)
            fill(write_ini(folder, "filling", forum_settings(folder, url)), size_of(options))
            for comparison in COMPARISONS:
                name = comparison.own.name
                if database in comparison.databases and re.search(options.only, name):
                    print(f"{database}: {name}", flush=True)
                    with ExitStack() as servers:
                        measurement = Measurement(comparison, folder, url, servers)
                        errors += measurement.run(make_load, options.rounds, options.seconds)
                    rows += measurement.rows(database)
    text = (
        f"{markdown([HEAD, *rows], text_columns=5)}\n\nMedians of {options.rounds} rounds by turns "
        f"of {options.seconds:g} s; {CONNECTIONS} connections, load by {driver}; {options.topics:,}"
        f" topics, {options.replies:,} replies. Machine: {where}."
    )
    publish(text, PART, options.markdown)
    return int(errors > 0)


class Measurement:
    """The running variants of one comparison, and their samples. stack: ends the servers."""

    def __init__(self, comparison: Comparison, folder: Path, url: str, stack: ExitStack) -> None:
        self._comparison = comparison
        self._folder = folder
        self._url = url
        self._community = Community(url)
        stack.callback(self._community.close)
        self._servers = [
            stack.enter_context(self._serve(variant))
            for variant in (comparison.own, comparison.plain)
        ]
        self._samples: dict[tuple[Key, str], list[Sample]] = defaultdict(list)

    def run(self, make_load: load.Load, rounds: int, seconds: float) -> int:
        """Measure all rounds, after one to warm up; return how many requests failed."""
        measured = self._endpoints(seconds)
        errors = 0
        for number in range(rounds + 1):
            # The order alternates, so that after-effects of one burst concern both.
            for key, endpoint in measured.items():
                for server in self._servers[:: -1 if number % 2 else 1]:
                    used = cpu_seconds(server.pid)
                    burst = make_load(server, endpoint.make(), CONNECTIONS, seconds)
                    cpu = 1000 * (cpu_seconds(server.pid) - used) / max(1, burst.requests)
                    errors += burst.errors
                    if number:
                        sample = Sample(burst.rate, cpu, 1000 * burst.p99)
                        self._samples[key, server.name].append(sample)
        return errors

    def rows(self, database: str) -> Iterator[tuple[str, ...]]:
        """Yield a row of the table, as in HEAD, for each endpoint."""
        names = self._comparison.own.name, self._comparison.plain.name
        for key in self._comparison.endpoints:
            own, plain = (self._samples[key, name] for name in names)
            quotient = median(one.rate / two.rate for one, two in zip(own, plain, strict=True))
            yield (
                *(*names, database, *key),
                f"{quotient:.2f}",
                *(f"{median(one.cpu for one in them):.2f}" for them in (own, plain)),
                *(f"{median(one.p99 for one in them):.1f}" for them in (own, plain)),
            )

    def _endpoints(self, seconds: float) -> dict[Key, Endpoint]:
        """Return the measured endpoints by name and caller."""
        made = endpoints(self._servers[0], self._community, seconds)
        found = {(endpoint.name, endpoint.caller): endpoint for endpoint in made}
        by_many = found["create reply", MEMBERS].make()
        one_topic = [replace(reply, path=by_many[0].path) for reply in by_many]
        found[ONE_TOPIC, MEMBERS] = Endpoint(ONE_TOPIC, MEMBERS, lambda: one_topic)
        return {key: found[key] for key in self._comparison.endpoints}

    def _serve(self, variant: Variant) -> AbstractContextManager[Server]:
        settings = {**forum_settings(self._folder, self._url), **variant.settings}
        name = re.sub(r"\W+", "-", f"{self._comparison.own.name} {variant.name}")
        ini = write_ini(self._folder, name, settings, factory=variant.factory)
        return serve(variant.name, ini)


if __name__ == "__main__":
    sys.exit(main())
