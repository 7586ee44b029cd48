"""Starts all servers of a benchmark: the Pyramid baseline, the asyncpg baseline, and forums."""

import importlib.util
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.community import Community, Size, fill
from benchmarks.endpoints import API, LIST, NOBODY, Endpoint, endpoints, uncached_list
from benchmarks.measure import BASELINE_REQUESTS, Subject
from benchmarks.request import get
from benchmarks.servers import SITE, Server, forum_settings, run, serve, write_ini
from forumsvc.settings.declared import DECLARED
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
        url = f"sqlite:///{self._folder}/forum.sqlite"
        self._fill("sqlite", url, size)
        first = self._loads.processes[:1], self._loads.connections[:1]
        return list(self._subjects("sqlite", url, None, None, *first))

    def postgresql(self, size: Size, url: str | None = None) -> list[Subject]:
        """Return the subjects on PostgreSQL.

        url: of a filled database on this machine; without it, one is created.
        """
        given = url is not None
        if url is None:
            base = postgres.server(self._folder, postgres.DURABLE)
            self._stack.callback(postgres.release, self._folder, wait=30)
            url = postgres.create_database(base, "forum")
        self._fill("postgresql", url, None if given else size)
        pid = postgres.server_pid(url)
        asyncpg_baseline = self._asyncpg_baseline(url)
        loads = self._loads
        subjects = list(
            self._subjects(
                "postgresql", url, pid, asyncpg_baseline, loads.processes, loads.connections
            )
        )
        if {setting.name for setting in DECLARED} >= NO_PAGE_CACHE.keys():
            name = "postgresql, no pages in memory"
            uncached_forum = self._forum(name, url, 1, NO_PAGE_CACHE)
            subjects += self._make_subjects(
                uncached_forum, [uncached_list()], loads.connections[:1], pid, asyncpg_baseline
            )
        if asyncpg_baseline:
            listed = Endpoint(LIST, NOBODY, lambda: [get(f"{API}/topics")])
            subjects += self._make_subjects(
                asyncpg_baseline, [listed], loads.connections[:1], pid, asyncpg_baseline
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
        fill(self._ini(f"filling {name}", "forumsvc:main", forum_settings(self._folder, url)), size)

    def _forum(self, name: str, url: str, processes: int, settings: dict[str, str]) -> Server:
        settings = {**forum_settings(self._folder, url), **settings}
        return self._serve(name, "forumsvc:main", processes, settings)

    def _asyncpg_baseline(self, url: str) -> Server | None:
        """Start the asyncpg baseline if its libraries are installed."""
        needed = ("starlette", "uvicorn", "asyncpg", "uvloop", "httptools")
        if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
            print(f"No asyncpg baseline without {', '.join(missing)}: `make bench` installs them.")
            return None
        dsn = url.replace("postgresql+psycopg:", "postgresql:")
        module = ["benchmarks.baseline_asyncpg", dsn, SITE]
        return self._stack.enter_context(
            run("asyncpg baseline", module, self._folder / "asyncpg-baseline.ini")
        )

    def _serve(
        self, name: str, factory: str, processes: int, settings: dict[str, str] | None = None
    ) -> Server:
        ini = self._ini(f"{name} {processes}", factory, settings or {}, processes)
        return self._stack.enter_context(serve(name, ini, processes))

    def _ini(self, name: str, factory: str, settings: dict[str, str], processes: int = 1) -> Path:
        threads = self._loads.threads
        return write_ini(
            self._folder, name, factory, settings, threads=threads, processes=processes
        )


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
