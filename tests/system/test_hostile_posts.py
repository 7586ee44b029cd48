"""Hostile texts posted to the real service while others use it."""

import http.client
import json
import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import psutil
import pytest

from forumsvc.models.engine import Database
from tests.functional.forum import API
from tests.system.forum_process import Setting, prepare, serving
from tests.system.process import PATIENCE
from tests.system.pserve import Pserve
from tests.unit.markup.hostile_texts import SIZE, TEXTS

BOUND = 1.2
"""Seconds in which a hostile text must be answered, on a machine that does nothing else."""
HOSTILE = [
    *("image openings", "brackets", "links in links", "tag openings", "bullets on one line"),
    *("entities", "tables", "large code", "unfinished links", "footnote-like text"),
]
READERS, WRITERS = 2, 2


@dataclass
class Timed:
    """How long each request took, in seconds, and what was wrong with answers."""

    seconds: list[float] = field(default_factory=list)
    failed: list[bytes] = field(default_factory=list)


class Client:
    """A connection with a token."""

    def __init__(self, server: Pserve, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self.timed = Timed()

    def send(self, method: str, path: str, **fields: str) -> dict:  # type: ignore[type-arg]
        """Send a request, note how long it took, and return the answer."""
        began = time.monotonic()
        self._connection.request(method, API + path, urlencode(fields), self._headers)
        answer = self._connection.getresponse()
        body = answer.read()
        self.timed.seconds.append(time.monotonic() - began)
        if answer.status not in (200, 201):
            self.timed.failed.append(body)
        found = json.loads(body)
        return found if isinstance(found, dict) else {}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@pytest.fixture
def setting(database_url: str, database: Database, tmp_path: Path) -> Setting:
    """A forum with two people and a topic of each."""
    return prepare(database_url, database, tmp_path)


@pytest.fixture
def server(setting: Setting, database_url: str, tmp_path: Path) -> Iterator[Pserve]:
    """The service, with two processes that render."""
    with serving(tmp_path, database_url, markup__workers="2") as server:
        yield server


def normal(server: Pserve, setting: Setting, number: int, stop: threading.Event) -> Timed:
    """Read or write in turn until told to stop."""
    client = Client(server, setting.people[0].token or "")
    topic = setting.topics[0]
    while not stop.is_set():
        if number < READERS:
            client.send("GET", f"/topics/{topic}/replies?limit=5")
        else:
            made = client.send("POST", f"/topics/{topic}/replies", body="*normal* @bob")
            if "<em>normal</em>" not in made.get("body_html", ""):
                client.timed.failed.append(b"not rendered")
    client.close()
    return client.timed


def test_a_hostile_text_is_answered_in_time_and_nobody_else_waits_for_it(
    server: Pserve, setting: Setting
) -> None:
    quiet, hostile = (Client(server, setting.people[1].token or "") for _ in range(2))
    for _ in range(20):
        quiet.send("POST", f"/topics/{setting.topics[1]}/replies", body="*warm*")
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss, len(process.children())
    start, noise = quiet.timed.seconds[0], max(quiet.timed.seconds[5:])
    stop, results = threading.Event(), []
    threads = [
        threading.Thread(target=lambda n=n: results.append((n, normal(server, setting, n, stop))))
        for n in range(READERS + WRITERS)
    ]
    for thread in threads:
        thread.start()
    answers = []
    for name in HOSTILE:
        path = f"/topics/{setting.topics[0]}/replies"
        answers.append(hostile.send("POST", path, body=TEXTS[name][:SIZE]))
    stop.set()
    for thread in threads:
        thread.join()
    after = process.memory_info().rss, len(process.children())
    quiet.close()
    hostile.close()

    assert hostile.timed.failed == []
    assert all(answer["body_html"] for answer in answers)
    # A text that comes upon a worker that was just replaced waits until that one has begun.
    assert statistics.median(hostile.timed.seconds) <= BOUND + 5 * noise
    assert max(hostile.timed.seconds) <= BOUND + 5 * noise + 2 * start
    assert server.said.count("is shown unrendered: timeout") >= 2
    slow = sorted(hostile.timed.seconds)[-2]
    for number, timed in results:
        assert timed.failed == [], number
        assert statistics.median(timed.seconds) < slow / 3, number
        assert len(timed.seconds) > 3 * len(HOSTILE), number
    assert after[1] == before[1]
    assert after[0] < before[0] + (60 << 20)
