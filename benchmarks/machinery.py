"""Measures own machinery beside the plain way: `python -m benchmarks.machinery` (see `--help`).

All variants run at the same time on one database and are measured by turns. What counts is the
quotient of two rates of one round.
"""

import argparse
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import which
from statistics import median

from benchmarks import document, load, machine
from benchmarks.community import Community, Size, fill
from benchmarks.endpoints import LIST, MEMBER, MEMBERS, NOBODY, Endpoint, endpoints
from benchmarks.request import Request
from benchmarks.run import leave_server_core
from benchmarks.servers import Server, forum_settings, serve, write_ini
from benchmarks.table import markdown
from benchmarks.usage import cpu_seconds
from tests import postgres
from tests.system.process import prepare_child, wait_until

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
    server: str = "forumsvc.serving:server_factory"


@dataclass(frozen=True)
class Comparison:
    """A piece of machinery beside its plain ways, at some endpoints."""

    own: Variant
    plain: tuple[Variant, ...]
    endpoints: tuple[Key, ...]
    databases: tuple[str, ...] = ("postgresql", "sqlite")
    processes: int = 1
    proxied: bool = False

    @property
    def name(self) -> str:
        """Its label in the table."""
        load = f", {self.processes} processes" if self.processes > 1 else ""
        return f"{self.own.name}{load}{', behind nginx' if self.proxied else ''}"


@dataclass(frozen=True)
class Sample:
    """One burst: answers a second, milliseconds of the server's CPU time a request, p99 in ms."""

    rate: float
    cpu: float
    p99: float


NO_CACHE = {"cache.pages_mb": "0"}
CURSOR = {"database.driver": "cursor"}
SHARED = Variant("one shared socket")
REUSE_PORT = Variant("SO_REUSEPORT", server="benchmarks.variants:reuse_port")
COMPARISONS = (
    Comparison(
        Variant("pipeline connection"),
        (Variant("psycopg cursor", settings=CURSOR),),
        (*READS, ("notifications", MEMBER), ("create topic", MEMBER), *REPLIES),
        ("postgresql",),
    ),
    Comparison(
        Variant("pipeline connection, no page cache", settings=NO_CACHE),
        (Variant("psycopg cursor", settings={**NO_CACHE, **CURSOR}),),
        (*READS, ("20 replies", NOBODY)),
        ("postgresql",),
    ),
    Comparison(
        Variant("page cache"),
        (Variant("none", settings=NO_CACHE),),
        (*READS, ("20 replies", NOBODY), ("19 reads, 1 reply", "both")),
    ),
    Comparison(
        Variant("slow work before the view"),
        (Variant("within the view", "benchmarks.variants:slow_work_in_view"),),
        (*REPLIES, (ONE_TOPIC, MEMBERS)),
    ),
    *(
        Comparison(
            SHARED,
            (REUSE_PORT,),
            ((LIST, NOBODY), ("topic detail", MEMBER), ("create reply", MEMBERS)),
            ("postgresql",),
            processes,
            proxied,
        )
        for processes in (2, 4)
        for proxied in (False, True)
    ),
)


def main() -> int:
    """Measure and print the table; 0 if there were no errors."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    driver, make_load = load.choose(options.driver)
    where = machine.describe()
    leave_server_core()
    rows: list[tuple[str, ...]] = []
    errors = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forumsvc-bench-")))
        for database in options.databases:
            url = _fill(folder, database, options, stack)
            for comparison in COMPARISONS:
                if database not in comparison.databases:
                    continue
                if not re.search(options.only, comparison.name):
                    continue
                if comparison.proxied and which("nginx") is None:
                    print(f"{comparison.name}: not measured, nginx is not installed")
                    continue
                print(f"{database}: {comparison.name}", flush=True)
                with _Measurement(comparison, folder, url, options) as measurement:
                    errors += measurement.run(make_load)
                    rows += measurement.rows(database)
    text = (
        f"{markdown([HEAD, *rows], text_columns=5)}\n\nMedians of {options.rounds} rounds by turns "
        f"of {options.seconds:g} s; {CONNECTIONS} connections, load by {driver}; {options.topics:,}"
        f" topics, {options.replies:,} replies. Machine: {where}."
    )
    print(f"\n{text}")
    if options.markdown:
        document.replace_part(options.markdown, PART, text)
    return int(errors > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.machinery", description=__doc__)
    parser.add_argument("--databases", nargs="*", default=["postgresql", "sqlite"])
    parser.add_argument("--only", default="", help="only machinery that this pattern finds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one burst of load")
    parser.add_argument("--driver", choices=["auto", "wrk", "python"], default="auto")
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--topics", type=int, default=10_000)
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there, too")
    return parser.parse_args()


def _fill(folder: Path, database: str, options: argparse.Namespace, stack: ExitStack) -> str:
    """Create a database with a community and return its URL."""
    if database == "postgresql":
        base = postgres.server(folder, postgres.DURABLE)
        stack.callback(postgres.release, folder, wait=30)
        url = postgres.create_database(base, "forum")
    else:
        url = f"sqlite:///{folder}/forum.sqlite"
    settings = forum_settings(folder, url)
    ini = write_ini(folder, "filling", "forumsvc:main", settings, threads=8, processes=1)
    fill(ini, Size(options.users, options.topics, options.replies))
    return url


class _Measurement:
    """The running variants of one comparison, and their samples."""

    def __init__(
        self, comparison: Comparison, folder: Path, url: str, options: argparse.Namespace
    ) -> None:
        self._comparison = comparison
        self._folder = folder
        self._url = url
        self._options = options
        self._stack = ExitStack()
        self._samples: dict[tuple[Key, str], list[Sample]] = defaultdict(list)

    def __enter__(self) -> "_Measurement":
        """Start the servers."""
        variants = (self._comparison.own, *self._comparison.plain)
        self._servers = {variant.name: self._serve(variant) for variant in variants}
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the servers."""
        self._stack.close()

    def run(self, make_load: load.Load) -> int:
        """Measure all rounds, after one to warm up; return how many requests failed."""
        community = Community(self._url)
        self._stack.callback(community.close)
        measured = self._endpoints(community)
        errors = 0
        for number in range(self._options.rounds + 1):
            # The order alternates, so that after-effects of one burst concern all.
            turn = list(self._servers.items())[:: -1 if number % 2 else 1]
            for key, endpoint in measured.items():
                for name, server in turn:
                    used = cpu_seconds(server.pid)
                    burst = make_load(server, endpoint.make(), CONNECTIONS, self._options.seconds)
                    cpu = 1000 * (cpu_seconds(server.pid) - used) / max(1, burst.requests)
                    errors += burst.errors
                    if number:
                        sample = Sample(burst.rate, cpu, 1000 * burst.p99)
                        self._samples[key, name].append(sample)
        return errors

    def rows(self, database: str) -> Iterator[tuple[str, ...]]:
        """Yield a row of the table, as in HEAD, for each plain way and endpoint."""
        for plain in self._comparison.plain:
            for key in self._comparison.endpoints:
                own, other = (
                    self._samples[key, name] for name in (self._comparison.own.name, plain.name)
                )
                quotient = median(one.rate / two.rate for one, two in zip(own, other, strict=True))
                yield (
                    *(self._comparison.name, plain.name, database, *key),
                    f"{quotient:.2f}",
                    *(f"{_median(them, 'cpu'):.2f}" for them in (own, other)),
                    *(f"{_median(them, 'p99'):.1f}" for them in (own, other)),
                )

    def _endpoints(self, community: Community) -> dict[Key, Endpoint]:
        """Return the measured endpoints by name and caller."""
        server = next(iter(self._servers.values()))
        made = endpoints(server, community, self._options.seconds)
        found = {(endpoint.name, endpoint.caller): endpoint for endpoint in made}
        by_many = found["create reply", MEMBERS].make()
        found[ONE_TOPIC, MEMBERS] = Endpoint(ONE_TOPIC, MEMBERS, lambda: _to_one_topic(by_many))
        return {key: found[key] for key in self._comparison.endpoints}

    def _serve(self, variant: Variant) -> Server:
        processes = self._comparison.processes
        ini = write_ini(
            self._folder,
            re.sub(r"\W+", "-", f"{self._comparison.name} {variant.name}"),
            variant.factory,
            {**forum_settings(self._folder, self._url), **variant.settings},
            threads=8,
            processes=processes,
            server=variant.server,
        )
        server = self._stack.enter_context(serve(variant.name, ini, processes))
        if not self._comparison.proxied:
            return server
        return replace(server, port=self._stack.enter_context(_nginx(self._folder, server.port)))


def _to_one_topic(replies: Sequence[Request]) -> list[Request]:
    return [replace(reply, path=replies[0].path) for reply in replies]


def _median(samples: list[Sample], figure: str) -> float:
    return median(getattr(sample, figure) for sample in samples)


@contextmanager
def _nginx(folder: Path, port: int) -> Iterator[int]:
    """Run nginx in front of a port, with connections kept alive; yield its own port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        own = free.getsockname()[1]
    configuration = folder / f"nginx-{port}.conf"
    configuration.write_text(
        f"""daemon off; pid {folder}/nginx-{port}.pid; error_log stderr crit;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  upstream forum {{ server 127.0.0.1:{port}; keepalive {CONNECTIONS}; }}
  server {{
    listen 127.0.0.1:{own};
    location / {{
      proxy_pass http://forum; proxy_http_version 1.1;
      proxy_set_header Connection ""; proxy_set_header Host $host;
    }}
  }}
}}
"""
    )
    process = subprocess.Popen(["nginx", "-c", configuration], preexec_fn=prepare_child)
    try:
        wait_until(lambda: _accepts(own), "nginx serves")
        yield own
    finally:
        process.terminate()
        process.wait()


def _accepts(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    sys.exit(main())
