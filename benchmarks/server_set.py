"""Starts all servers of a benchmark: the Pyramid baseline, the asyncpg baseline, and forums."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.community import Community, fill
from benchmarks.endpoints import API, LIST, NOBODY, Endpoint, endpoints, uncached
from benchmarks.measure import BASELINE_REQUESTS, Subject
from benchmarks.program import new_database
from benchmarks.request import get
from benchmarks.servers import SITE, Server, forum_settings, run, serve, write_ini
from forumsvc.demo import Size
from tests import postgres

PYRAMID_BASELINE = "benchmarks.baseline_pyramid:make_app"
NO_PAGE_CACHE = {"cache.pages_mb": "0"}


@dataclass(frozen=True)
class Loads:
    """The loads to measure under: numbers of processes, threads, and connections.

    seconds: the length of each burst.
    """

    processes: list[int]
    threads: int
    connections: list[int]
    seconds: float


class ServerSet:
    """Starts servers and returns the subjects to measure on them.

    folder: for their files; stack: stops them.
    """

    def __init__(self, folder: Path, loads: Loads, stack: ExitStack) -> None:
        self._folder = folder
        self._loads = loads
        self._stack = stack
        self._baselines = {
            number: self._serve(f"Pyramid baseline of {number}", PYRAMID_BASELINE, number)
            for number in loads.processes
        }
        # A second one beside the first: how far its ratio is from 1 shows how precise the others
        # are.
        self._second_baseline = self._serve(
            "Pyramid baseline again", PYRAMID_BASELINE, loads.processes[0]
        )

    def control(self) -> list[Subject]:
        """Return the Pyramid baseline as a subject beside itself."""
        endpoint = Endpoint("Pyramid baseline", NOBODY, lambda: BASELINE_REQUESTS)
        return [
            Subject(
                self._second_baseline,
                endpoint,
                connections,
                self._baselines[self._second_baseline.processes],
            )
            for connections in self._loads.connections
        ]

    def sqlite(self, size: Size) -> list[Subject]:
        """Return the subjects on SQLite: only for the first of the loads."""
        url = new_database("sqlite", self._folder, self._stack)
        self._fill("sqlite", url, size)
        first = self._loads.processes[:1], self._loads.connections[:1]
        return list(self._subjects("sqlite", url, None, None, *first))

    def postgresql(self, size: Size, url: str | None = None) -> list[Subject]:
        """Return the subjects on PostgreSQL.

        url: of a filled database on this machine; without it, one is created.
        """
        given, url = url, url or new_database("postgresql", self._folder, self._stack)
        self._fill("postgresql", url, None if given else size)
        pid = postgres.server_pid(url)
        asyncpg_baseline = self._asyncpg_baseline(url)
        loads = self._loads
        subjects = list(
            self._subjects(
                "postgresql", url, pid, asyncpg_baseline, loads.processes, loads.connections
            )
        )
        anew = self._forum("postgresql, no pages in memory", url, 1, NO_PAGE_CACHE)
        listed = Endpoint(LIST, NOBODY, lambda: [get(f"{API}/topics")])
        for server, measured in ((anew, uncached(anew)), (asyncpg_baseline, [listed])):
            subjects += self._make_subjects(
                server, measured, loads.connections[:1], pid, asyncpg_baseline
            )
        return subjects

    def _subjects(
        self,
        name: str,
        url: str,
        pid: int | None,
        asyncpg_baseline: Server | None,
        processes: list[int],
        connections: list[int],
    ) -> Iterator[Subject]:
        community = Community(url)
        self._stack.callback(community.close)
        for number in processes:
            forum = self._forum(name, url, number, {})
            if asyncpg_baseline:
                _assert_same_answer(forum, asyncpg_baseline)
            measured = endpoints(forum, community, self._loads.seconds)
            baseline = asyncpg_baseline if number == 1 else None
            yield from self._make_subjects(forum, measured, connections, pid, baseline)

    def _make_subjects(
        self,
        server: Server,
        measured: list[Endpoint],
        connections: list[int],
        pid: int | None,
        asyncpg_baseline: Server | None,
    ) -> list[Subject]:
        empty = self._baselines.get(server.processes) or next(iter(self._baselines.values()))
        return [
            Subject(
                server,
                endpoint,
                many,
                empty,
                asyncpg_baseline if endpoint.in_asyncpg_baseline else None,
                pid,
            )
            for many in connections
            for endpoint in measured
        ]

    def _fill(self, name: str, url: str, size: Size | None) -> None:
        print(f"preparing {name} …", flush=True)
        fill(write_ini(self._folder, f"filling {name}", forum_settings(self._folder, url)), size)

    def _forum(self, name: str, url: str, processes: int, settings: dict[str, str]) -> Server:
        settings = {**forum_settings(self._folder, url), **settings}
        return self._serve(name, "forumsvc:main", processes, settings)

    def _asyncpg_baseline(self, url: str) -> Server:
        dsn = url.replace("postgresql+psycopg:", "postgresql:")
        module = ["benchmarks.baseline_asyncpg", dsn, SITE]
        return self._stack.enter_context(
            run("asyncpg baseline", module, self._folder / "asyncpg-baseline.ini")
        )

    def _serve(
        self, name: str, factory: str, processes: int, settings: dict[str, str] | None = None
    ) -> Server:
        ini = write_ini(
            self._folder,
            f"{name} {processes}",
            settings or {},
            factory=factory,
            threads=self._loads.threads,
            processes=processes,
        )
        return self._stack.enter_context(serve(name, ini, processes))


def _assert_same_answer(forum: Server, asyncpg_baseline: Server) -> None:
    """Raise AssertionError unless both return the same JSON for the list."""
    for query in ("", "?offset=40&limit=60"):
        one, other = (
            json.dumps(server.request_json(get(f"{API}/topics{query}")))
            for server in (forum, asyncpg_baseline)
        )
        assert one == other, (
            f"the asyncpg baseline answers {other[:500]} where the forum does {one[:500]}"
        )
