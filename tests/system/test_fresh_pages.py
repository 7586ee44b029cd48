"""A write in one process is visible in the next read in every other process.

Three processes with page caches, two with one envelope and one with the other. Writers change their
own objects through one of them, and read through all. Responses must equal those of an application
without a cache, and an ETag must never stand for outdated content.
"""

import os
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from forumsvc.db.engine import Database
from forumsvc.demo import load
from forumsvc.markup import Renderer
from forumsvc.services.content.rerendering import Rerendering
from tests.functional.conftest import close_application
from tests.functional.forum import Forum, make_app
from tests.functional.test_photos import picture
from tests.functional.threads import together
from tests.system.forum_process import serving
from tests.system.fresh_reads import CacheChecker, EnvelopeProcesses, Process, UncachedForum
from tests.system.fresh_writes import RandomWriter, SharedObjects

WRITES = int(os.environ.get("FORUMSVC_FRESH_WRITES", "1000"))
SEED = os.environ.get("FORUMSVC_FRESH_SEED") or f"{random.SystemRandom().getrandbits(32):x}"
TOGETHER = 4
"""So many write at the same time, after one who was alone."""

CROWD = 1
"""So many only read what they do: a page is kept at the worst of moments."""

PATHS = 2
"""So many paths are read after each write, the same ones for a while: what a process has kept of
them before a write is what it may show wrongly after it."""

STAYS = 0.8
"""How likely it is that the same are read next time."""


@dataclass
class Scene:
    """Processes by envelope (ports), and for each envelope an application without a cache."""

    ports: dict[str, list[int]]
    truths: dict[str, Any]
    common: SharedObjects
    opened: list[Process] = field(default_factory=list)

    def connect(self, ports: list[int]) -> list[Process]:
        """Return connections, which are closed with the scene."""
        made = [Process(port) for port in ports]
        self.opened += made
        return made

    def enter(self, name: str) -> "Turns":
        """Create a writer."""
        shapes = [
            EnvelopeProcesses(self.connect(ports), UncachedForum(self.truths[shape]))
            for shape, ports in self.ports.items()
        ]
        processes = [process for shape in shapes for process in shape.processes]
        choices = random.Random(f"{SEED} {name}")  # noqa: S311  # to be repeated
        owner = RandomWriter(self.common, name, processes, choices, [picture(), picture("blue")])
        return Turns(owner, CacheChecker(shapes, choices))

    @contextmanager
    def crowd(self, watched: "list[Turns]") -> Iterator[None]:
        """Have other clients read continuously, in all processes, what writers will read."""
        stop = threading.Event()

        def read(number: int) -> None:
            choices = random.Random(number)  # noqa: S311
            processes = self.connect([port for ports in self.ports.values() for port in ports])
            while not stop.is_set():
                for path, token in choices.choice(watched).shown:
                    choices.choice(processes).read(path, token, None)

        with ThreadPoolExecutor(CROWD) as pool:
            reading = [pool.submit(read, number) for number in range(CROWD)]
            try:
                yield
            finally:
                stop.set()
        for each in reading:
            each.result()


@dataclass
class Turns:
    """A writer who writes and reads by turns.

    looks_at: the indexes of paths and their readers; shown: these paths and the readers' tokens.
    """

    owner: RandomWriter
    watch: CacheChecker
    looks_at: list[tuple[int, int]] = field(default_factory=list)
    shown: list[tuple[str, str | None]] = field(default_factory=list)

    def run(self, writes: int) -> Counter[str]:
        """Make so many writes and return their names."""
        done: Counter[str] = Counter()
        self.owner.look = self.look
        choices, kinds = self.owner.choices, self.owner.kinds()
        # Each once, and then as it comes.
        turns = choices.sample([*kinds], len(kinds))
        turns += choices.choices([*kinds], [*kinds.values()], k=writes)
        for kind in turns[:writes]:
            written = self.owner.run(kind)
            done[written] += 1
            self.look(written)
        return done

    def look(self, after: str) -> None:
        """Check a few of the paths that may show what was written."""
        choices, paths, readers = self.owner.choices, self.owner.paths(), self.owner.readers()
        if not self.looks_at or choices.random() > STAYS:
            places = choices.sample(range(len(paths)), PATHS)
            self.looks_at = [(place, choices.randrange(len(readers))) for place in places]
        self.shown = [
            (paths[place % len(paths)], readers[reader % len(readers)])
            for place, reader in self.looks_at
        ]
        for path, token in self.shown:
            self.watch.compare(path, token, self.owner.own, after)


@pytest.fixture
def scene(database_url: str, database: Database, tmp_path: Path) -> Iterator[Scene]:
    common: dict[str, Any] = {
        "site__url": "http://forum.test",
        "photos__dir": str(tmp_path / "photos"),
        "topics__view_count_flush_seconds": "0.1",
    }
    made: dict[str, Any] = {}
    ports: dict[str, list[int]] = {"bare": [], "keyed": []}
    with ExitStack() as stack:
        for number, shape in enumerate(("bare", "bare", "keyed")):
            folder = tmp_path / str(number)
            folder.mkdir()
            served = serving(folder, database_url, api__envelope=shape, **common)
            ports[shape].append(stack.enter_context(served).port)
        for shape in ports:
            settings = {key.replace("__", "."): value for key, value in common.items()}
            settings |= {"api.envelope": shape, "cache.pages_mb": "0"}
            made[shape] = make_app(database_url, tmp_path, **settings)
            stack.callback(close_application, made[shape])
        forum = Forum(made["bare"], database)
        rerendering = Rerendering(database, made["bare"].registry.authoring, 1)
        mod = forum.person("mod", role="maintainer")
        scene = Scene(ports, made, SharedObjects(forum, mod, rerendering))
        yield scene
        for process in scene.opened:
            process.close()


def load_demo(scene: Scene, turns: Turns) -> None:
    """`forumsvc demo`, which changes all lists at once."""

    def look(after: str) -> None:
        for path in ("/nodes", "/topics", "/topics?type=popular"):
            turns.watch.compare(path, None, lambda document: document, after)

    for shape in turns.watch.shapes:
        for process in shape.processes:
            process.close()  # who was silent for long was hung up on
    look("everything but the demo")
    load(scene.common.forum.database, renderer=Renderer(workers=0), language="zh")
    look("demo")


def test_every_process_shows_at_once_what_another_has_answered(
    scene: Scene, record_property: Callable[[str, object], None]
) -> None:
    print(f"seed {SEED}")  # noqa: T201  # shown where the test fails
    alone = scene.enter("alone")
    done = alone.run(WRITES // 4)
    others = [scene.enter(f"one-of-{number}") for number in range(TOGETHER)]
    each = (WRITES - WRITES // 4) // TOGETHER + 1
    with scene.crowd(others):
        for counted in together([partial(one.run, each) for one in others]):
            done += counted
    load_demo(scene, alone)
    seen = sum((turns.watch.seen for turns in (alone, *others)), Counter())
    record_property("summary", f"seed {SEED}: {done.total()} writes {dict(done)}; {dict(seen)}")
    assert {kind.__name__ for kind in alone.owner.kinds()} <= set(done)
    assert seen["200"] > WRITES
    assert seen["304"] > 0
