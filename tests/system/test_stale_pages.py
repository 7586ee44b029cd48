"""While many write, a page from the page cache is what a server without a page cache shows.

docs/quality.md has the figure of STALE_COMPARISONS=6000.
"""

import http.client
import json
import os
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from forumsvc.db.engine import Database
from tests.functional.conftest import close_application
from tests.functional.forum import API, Forum, Person, make_app
from tests.functional.storm import ACTIONS, BODIES
from tests.system.forum_process import serving
from tests.system.process import PATIENCE, wait_until
from tests.system.pserve import Pserve

pytestmark = pytest.mark.both_databases

COMPARISONS = int(os.environ.get("STALE_COMPARISONS", "300"))
STORM = 300
"""How many comparisons there are until the writers pause, and all pages are compared."""
LOGINS = ["ann", "ben", "cat", "dan", "eve", "fay"]
LATEST = 4
"""How many of the newest topics and replies are written to and compared."""
HITS = re.compile(rb'("hits":|class="hits">)\d+')
"""Views, which each server counts for itself."""


class Page(NamedTuple):
    """What a server shows, without the views. etag: changes with all that the page shows."""

    status: int
    etag: str | None
    body: bytes


class Client:
    """A connection to a server, for one thread. Both servers are asked under one name."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def close(self) -> None:
        self.connection.close()

    def send(
        self, method: str, path: str, token: str | None = None, **form: Any
    ) -> tuple[http.client.HTTPResponse, bytes]:
        headers = {"Host": "localhost", "Content-Type": "application/x-www-form-urlencoded"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self.connection.request(method, path, urlencode(form) if form else None, headers)
        answer = self.connection.getresponse()
        return answer, answer.read()

    def page(self, path: str, token: str | None) -> Page:
        answer, body = self.send("GET", path, token)
        return Page(answer.status, answer.headers["ETag"], HITS.sub(rb"\1", body))


@dataclass
class Comparer:
    """Compares the pages of a server that caches with those of one that does not.

    compared: how often; changed: how often a page was changed meanwhile; stale: what differed.
    """

    cached: Client
    uncached: Client
    compared: int = 0
    changed: int = 0
    stale: list[tuple[str, Page, Page]] = field(default_factory=list)

    def compare(self, path: str, token: str | None) -> bool:
        """Compare a page with what is there before and after it; return whether that is the same.

        A page that was changed between these two may show either, or something between them.
        """
        clients = (self.uncached, self.cached, self.uncached)
        before, shown, after = (client.page(path, token) for client in clients)
        if before != after:
            self.changed += 1
            return False
        self.compared += 1
        if (shown.status, shown.body) != (after.status, after.body):
            self.stale.append((path, shown, after))
        return True


@dataclass
class Scene:
    """People, and the ids of what they write to; writers add to the topics and replies."""

    people: list[Person]
    nodes: list[int]
    topics: list[int]
    replies: list[int]

    def paths(self) -> list[str]:
        """Return the paths of what is compared: of the API, and pages for visitors."""
        kinds = ("last_actived", "recent", "no_reply", "popular", "excellent")
        lists = [f"/topics?type={kind}" for kind in kinds]
        lists += [f"/topics?node_id={node}" for node in self.nodes]
        topics = [f"/topics/{topic}" for topic in self.topics[-LATEST:]]
        replies = [f"/replies/{reply}" for reply in self.replies[-LATEST:]]
        own = [*lists, "/nodes", *topics, *(f"{it}/replies" for it in topics), *replies]
        return [*(f"{API}{path}" for path in own), "/topics", *topics]


@dataclass
class Writer:
    """Writes at random until `stop`, and compares a page after each write.

    statuses: what was answered to the writes.
    """

    comparer: Comparer
    person: Person
    scene: Scene
    stop: threading.Event
    seed: int
    statuses: list[int] = field(default_factory=list)

    def run(self) -> None:
        self.rng = random.Random(self.seed)  # noqa: S311
        while not self.stop.wait(self.rng.random() / 10):
            self.rng.choice(self._writes())()
            token = self.rng.choice([None, self.person.token])
            self.comparer.compare(self.rng.choice(self.scene.paths()), token)

    def _writes(self) -> list[Callable[[], None]]:
        posts = [self._create_topic, self._reply, self._reply, self._edit_and_move, self._edit]
        return [*posts, self._delete, self._like, self._act, self._rename, self._rename_node]

    def _send(self, method: str, path: str, **form: Any) -> Any:
        client = self.comparer.cached
        answer, body = client.send(method, f"{API}{path}", self.person.token, **form)
        self.statuses.append(answer.status)
        return json.loads(body)

    def _topic(self) -> int:
        return self.rng.choice(self.scene.topics[-LATEST:])

    def _post(self) -> int:
        return self.rng.choice(self.scene.replies[-LATEST:])

    def _text(self) -> dict[str, Any]:
        node = self.rng.choice(self.scene.nodes)
        body = self.rng.choice(BODIES)
        return {"title": f"T{self.rng.random()}", "node_id": node, "body": body}

    def _create_topic(self) -> None:
        made = self._send("POST", "/topics", **self._text())
        # Most are written to for a while before the next one takes their place.
        if "id" in made and self.rng.random() < 0.2:
            self.scene.topics.append(made["id"])

    def _reply(self) -> None:
        body = self.rng.choice(BODIES)
        made = self._send("POST", f"/topics/{self._topic()}/replies", body=body)
        if "id" in made:
            self.scene.replies.append(made["id"])

    def _edit_and_move(self) -> None:
        self._send("PUT", f"/topics/{self._topic()}", **self._text())

    def _edit(self) -> None:
        self._send("POST", f"/replies/{self._post()}", body=f"{self.rng.random()}")

    def _delete(self) -> None:
        path = f"/topics/{self._topic()}" if self.rng.random() < 0.2 else f"/replies/{self._post()}"
        self._send("DELETE", path)

    def _like(self) -> None:
        kind = self.rng.choice(["topic", "reply"])
        liked = self._topic() if kind == "topic" else self._post()
        self._send(self.rng.choice(["POST", "DELETE"]), "/likes", obj_type=kind, obj_id=liked)

    def _act(self) -> None:
        self._send("POST", f"/topics/{self._topic()}/action?type={self.rng.choice(ACTIONS)}")

    def _rename(self) -> None:
        self._send("PUT", "/users/me", name=f"N{self.rng.random()}")

    def _rename_node(self) -> None:
        node = self.rng.choice(self.scene.nodes)
        self._send("PUT", f"/nodes/{node}", name=f"N{self.rng.random()}")


def prepare(url: str, database: Database, folder: Path) -> Scene:
    """Fill a database through an application in this process, and close that."""
    application = make_app(url, folder)
    try:
        forum = Forum(application, database)
        people = [forum.person(login) for login in LOGINS]
        for login, role in (("mod", "maintainer"), ("root", "admin")):
            people.append(forum.person(login, role=role, scope="read write moderate admin"))
        nodes = [forum.node("One"), forum.node("Two")]
        topics = [forum.topic(person, nodes[0]) for person in people[:LATEST]]
        replies = [forum.reply(people[0], topic) for topic in topics]
        return Scene(people, nodes, topics, replies)
    finally:
        close_application(application)


@contextmanager
def reading(folder: Path, url: str, megabytes: int) -> Iterator[Pserve]:
    """Serve a database with a page cache of this size. Views are not written meanwhile."""
    folder.mkdir()
    with serving(
        folder,
        url,
        worker=False,
        cache__pages_mb=str(megabytes),
        site__url="http://localhost",
        topics__view_count_flush_seconds="3600",
    ) as server:
        yield server


@contextmanager
def comparing(cached: Pserve, uncached: Pserve) -> Iterator[Comparer]:
    """Yield a comparer of two servers."""
    with closing(Client(cached.port)) as one, closing(Client(uncached.port)) as other:
        yield Comparer(one, other)


@contextmanager
def storm(writers: list[Writer]) -> Iterator[None]:
    """Let everybody write at the same time."""
    threads = [threading.Thread(target=writer.run) for writer in writers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        writers[0].stop.set()
        for thread in threads:
            thread.join()


def test_no_page_is_stale_while_eight_writers_storm(
    database_url, database, tmp_path, record_property
):
    scene = prepare(database_url, database, tmp_path)
    tokens = (None, scene.people[0].token)
    statuses: Counter[int] = Counter()
    with ExitStack() as stack:
        cached = stack.enter_context(reading(tmp_path / "cached", database_url, 64))
        uncached = stack.enter_context(reading(tmp_path / "uncached", database_url, 0))
        comparers = [stack.enter_context(comparing(cached, uncached)) for _ in scene.people]

        def compared() -> int:
            return sum(one.compared for one in comparers)

        while compared() < COMPARISONS:
            stop, began = threading.Event(), compared()
            enough = min(COMPARISONS, began + STORM)
            writers = [
                Writer(comparer, person, scene, stop, seed)
                for seed, (comparer, person) in enumerate(
                    zip(comparers, scene.people, strict=True), began
                )
            ]
            with storm(writers):
                wait_until(lambda: compared() >= enough, "pages are compared")  # noqa: B023
            statuses.update(status for writer in writers for status in writer.statuses)
            # Nobody writes now: all pages can be compared.
            assert all(comparers[0].compare(*page) for page in product(scene.paths(), tokens))
    changed, writes = sum(one.changed for one in comparers), statuses.total()
    summary = f"{compared()} comparisons beside {writes} writes, {changed} changed meanwhile"
    record_property("summary", summary)
    assert set(statuses) <= {200, 201, 403, 404, 429}, statuses
    assert statuses[200] > COMPARISONS / 4
    assert [stale for one in comparers for stale in one.stale] == []
