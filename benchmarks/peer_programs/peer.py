"""What a forum has to say of itself to be measured."""

import json
import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.endpoints import TEXT
from benchmarks.peer_programs.browser import Browser
from benchmarks.peer_programs.community import Written
from benchmarks.request import Request
from benchmarks.servers import ROOT
from tests.system.process import prepare_child

LIST, TOPIC, REPLY, SEARCH = "topic list", "topic with 20 replies", "create a reply", "search"
ENDPOINTS = (LIST, TOPIC, REPLY, SEARCH)


@dataclass(frozen=True)
class Place:
    """Where a forum is during the benchmark.

    folder: for its files; python: of its environment; database: URL of its own; redis: port of
    its own, None if it needs none; redis_pids: the process of that.
    """

    folder: Path
    python: Path
    database: str
    community: Written
    redis: int | None = None
    redis_pids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Filled:
    """Addresses of a filled forum.

    list: of its list of topics; topics: those that are read; written: those that are replied to;
    sessions: cookies of members by name, where its log-in is no plain form.
    """

    list: str
    topics: Sequence[str]
    written: Sequence[str]
    sessions: Mapping[str, str] = field(default_factory=dict)


Compose = Callable[[str], Request]
"""Makes the request that posts a text as a reply."""


class Peer(ABC):
    """A forum.

    key: its word in commands and names of files; name: as the table calls it; package: its name in
    the package index; python: the oldest version that it runs on; needs_redis: whether its
    documents put a Redis beside it in production; posts: its table of posts.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    package: ClassVar[str]
    posts: ClassVar[str]
    python: ClassVar[tuple[int, int]] = (3, 11)
    needs_redis: ClassVar[bool] = False
    members_only: ClassVar[frozenset[str]] = frozenset()
    """The endpoints that guests may not read, so a member does."""
    calls: ClassVar[Mapping[str, int]] = {}
    """How many requests an endpoint takes, where it is not one."""

    @abstractmethod
    def fill(self, place: Place) -> Filled:
        """Configure it, create its tables, and fill them."""

    @abstractmethod
    def command(self, place: Place, port: int, processes: int) -> list[str]:
        """Return the command that serves it."""

    def beside(self, place: Place) -> list[list[str]]:
        """Return the commands of what runs beside the server in production."""
        return []

    def environment(self, place: Place) -> dict[str, str]:
        """Return the environment of all its programs."""
        return {
            **{name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ},
            "PATH": f"{place.python.parent}{os.pathsep}{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(ROOT),
            "PEER_FOLDER": str(place.folder),
            "PEER_DATABASE": place.database,
            "PEER_REDIS": str(place.redis or ""),
            "PEER_COMMUNITY": str(place.community.path),
        }

    @abstractmethod
    def search(self, word: str) -> str:
        """Return the address of a search."""

    @abstractmethod
    def log_in(self, browser: Browser, name: str) -> None:
        """Log a member in."""

    @abstractmethod
    def compose(self, browser: Browser, topic: str) -> Compose:
        """Load what is needed to reply to a topic."""

    def requests(
        self, endpoint: str, filled: Filled, words: Sequence[str], member: Browser
    ) -> Sequence[Request]:
        """Return what is sent to read an endpoint. member: who is logged in."""
        headers = member.headers if endpoint in self.members_only else {}
        paths = {
            LIST: [filled.list],
            TOPIC: filled.topics,
            SEARCH: [self.search(word) for word in words],
        }
        return [Request("GET", path, headers) for path in paths[endpoint]]

    def run(self, place: Place, *words: str) -> str:
        """Run the Python of its environment; return what it prints. Raises as below."""
        return self.run_program(place, str(place.python), *words)

    def run_program(self, place: Place, *words: str) -> str:
        """Run a program; return what it prints.

        Raises RuntimeError with the end of its output if it fails.
        """
        log = place.folder / "preparing.log"
        with log.open("ab") as file:
            done = subprocess.run(
                words,
                cwd=place.folder,
                env=self.environment(place),
                stdin=subprocess.DEVNULL,
                preexec_fn=prepare_child,
                stdout=subprocess.PIPE,
                stderr=file,
                check=False,
                text=True,
            )
        if done.returncode:
            raise RuntimeError(
                f"{self.name}: {' '.join(words[:4])} failed:\n"
                f"{done.stdout[-2000:]}\n{log.read_text(errors='replace')[-4000:]}"
            )
        return done.stdout

    def run_inside(self, place: Place, script: str) -> Any:
        """Run a script of `inside` in its Python; return what it reports."""
        printed = self.run(place, "-m", f"benchmarks.peer_programs.inside.{script}")
        return json.loads(printed.rstrip().rpartition("\n")[2])


class Replies(Sequence[Request]):
    """Requests that create replies, each with a text of its own whenever they are sent.

    many: how many there are; compose: of a member and a topic each; mentioned: whom they mention.
    """

    def __init__(self, compose: Sequence[Compose], mentioned: str, many: int = 2_000) -> None:
        self._compose, self._mentioned, self._many = compose, mentioned, many
        self._sent = 0

    def __len__(self) -> int:
        return self._many

    def __getitem__(self, number: Any) -> Any:
        if number >= self._many:
            raise IndexError(number)
        self._sent += 1
        text = f"{TEXT.format(mentioned=self._mentioned)}\nreply-{self._sent}\n"
        return self._compose[number % len(self._compose)](text)
