"""All servers of a benchmark, started: the empty view, the yardstick, and forums."""

import importlib.util
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.community import Community, Size, fill
from benchmarks.endpoints import API, LIST, NOBODY, Endpoint, endpoints, made_anew
from benchmarks.measure import EMPTY, Subject
from benchmarks.request import get
from benchmarks.servers import SITE, Server, forum_settings, run, serve, write_ini
from forumsvc.settings.declared import DECLARED
from tests import postgres

EMPTY_VIEW = "benchmarks.baseline_pyramid:make_app"
NO_MEMORY = {"cache.pages_mb": "0"}


@dataclass(frozen=True)
class Loads:
    """Under which loads to measure: so many processes of so many threads, so many connections.

    seconds: how long each burst lasts.
    """

    processes: list[int]
    threads: int
    connections: list[int]
    seconds: float


class Fleet:
    """Starts servers and tells what is to be measured on them.

    folder: for their files; stack: ends them.
    """

    def __init__(self, folder: Path, loads: Loads, stack: ExitStack) -> None:
        self._folder = folder
        self._loads = loads
        self._stack = stack
        self._empty = {
            number: self._serve(f"empty view of {number}", EMPTY_VIEW, number)
            for number in loads.processes
        }
        # A second one beside the first: how far its ratio is from 1 shows what the others are
        # worth.
        self._again = self._serve("empty view again", EMPTY_VIEW, loads.processes[0])

    def control(self) -> list[Subject]:
        """Return the empty view as a subject beside itself."""
        endpoint = Endpoint("empty view", NOBODY, lambda: EMPTY)
        return [
            Subject(self._again, endpoint, connections, self._empty[self._again.processes])
            for connections in self._loads.connections
        ]

    def sqlite(self, size: Size) -> list[Subject]:
        """Return what to measure on SQLite: the first of the loads only."""
        url = f"sqlite:///{self._folder}/forum.sqlite"
        self._fill("sqlite", url, size)
        first = self._loads.processes[:1], self._loads.connections[:1]
        return list(self._subjects("sqlite", url, None, None, *first))

    def postgresql(self, size: Size, url: str | None = None) -> list[Subject]:
        """Return what to measure on PostgreSQL.

        url: of a database that is filled already, on this machine; else one is made.
        """
        given = url is not None
        if url is None:
            base = postgres.server(self._folder, postgres.DURABLE)
            self._stack.callback(postgres.leave, self._folder, wait=30)
            url = postgres.create_database(base, "forum")
        self._fill("postgresql", url, None if given else size)
        pid = postgres.server_pid(url)
        yardstick = self._yardstick(url)
        loads = self._loads
        subjects = list(
            self._subjects("postgresql", url, pid, yardstick, loads.processes, loads.connections)
        )
        if {setting.name for setting in DECLARED} >= NO_MEMORY.keys():
            name = "postgresql, no pages in memory"
            forgetful = self._forum(name, url, 1, NO_MEMORY)
            subjects += self._of(forgetful, [made_anew()], loads.connections[:1], pid, yardstick)
        if yardstick:
            listed = Endpoint(LIST, NOBODY, lambda: [get(f"{API}/topics")])
            subjects += self._of(yardstick, [listed], loads.connections[:1], pid, yardstick)
        return subjects

    def _subjects(
        self,
        name: str,
        url: str,
        pid: int | None,
        yardstick: Server | None,
        processes: list[int],
        connections: list[int],
    ) -> Iterator[Subject]:
        community = Community(url)
        self._stack.callback(community.close)
        for number in processes:
            forum = self._forum(name, url, number, {})
            if yardstick:
                _assert_same_answer(forum, yardstick)
            measured = endpoints(forum, community, self._loads.seconds)
            beside = yardstick if number == 1 else None
            yield from self._of(forum, measured, connections, pid, beside)

    def _of(
        self,
        server: Server,
        measured: list[Endpoint],
        connections: list[int],
        pid: int | None,
        yardstick: Server | None,
    ) -> list[Subject]:
        empty = self._empty.get(server.processes) or next(iter(self._empty.values()))
        return [
            Subject(
                server,
                endpoint,
                many,
                empty,
                yardstick if endpoint.beside_yardstick else None,
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

    def _yardstick(self, url: str) -> Server | None:
        """Start the yardstick, where what it is made of is installed."""
        needed = ("starlette", "uvicorn", "asyncpg", "uvloop", "httptools")
        if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
            print(f"No yardstick, for want of {', '.join(missing)}: `make bench` installs them.")
            return None
        dsn = url.replace("postgresql+psycopg:", "postgresql:")
        module = ["benchmarks.baseline_asyncpg", dsn, SITE]
        return self._stack.enter_context(run("yardstick", module, self._folder / "yardstick.ini"))

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


def _assert_same_answer(forum: Server, yardstick: Server) -> None:
    """Raise AssertionError where the two do not answer the list alike, to the byte of its JSON."""
    for query in ("", "?offset=40&limit=60"):
        one, other = (
            json.dumps(server.ask(get(f"{API}/topics{query}"))) for server in (forum, yardstick)
        )
        assert one == other, f"the yardstick answers {other[:500]} where the forum does {one[:500]}"
