"""Hostile texts posted to the real service while others use it."""

import http.client
import json
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
import pytest

from forumsvc.db.engine import Database
from tests.databases import on_sqlite
from tests.functional.forum import API, Person
from tests.system.forum_process import Scene, prepare, serving
from tests.system.process import PATIENCE
from tests.system.pserve import Pserve
from tests.unit.markup.hostile_texts import SIZE, TEXTS

HARMLESS = ("An ordinary word " * SIZE)[:SIZE]
WARM_UP = ["bullets on one line", "large code", "footnote-like text"]
"""Quickly rendered to much HTML: after these, each thread has as much memory as it needs."""
HOSTILE = [
    # The tables of empty cells alone are never rendered in time.
    *("a table of empty cells", "a table of empty cells", "image openings", "links in links"),
    *("bullets on one line", "tag openings"),
    *("entities", "tables", "large code", "unfinished links", "footnote-like text"),
]
AT_ONCE = 3
THREADS = 8
READERS, WRITERS = 2, 2
_TRIES = 5
"""How often a client sends what the service has no time for at the moment (503), as clients do."""


@dataclass
class Answers:
    """How long each answered request took, in seconds, and the errors."""

    seconds: list[float] = field(default_factory=list)
    failed: list[bytes] = field(default_factory=list)


class Client:
    def __init__(self, server: Pserve, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self.answers = Answers()

    def send(self, method: str, path: str, **fields: str) -> dict[str, Any]:
        for _ in range(_TRIES):
            began = time.monotonic()
            self._connection.request(method, API + path, urlencode(fields), self._headers)
            answer = self._connection.getresponse()
            status, body = answer.status, answer.read()
            self.answers.seconds.append(time.monotonic() - began)
            if status != HTTPStatus.SERVICE_UNAVAILABLE:
                break
        if status not in (200, 201):
            self.answers.failed.append(body)
        found = json.loads(body)
        return found if isinstance(found, dict) else {}

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def setting(database_url: str, database: Database, tmp_path: Path) -> Scene:
    """A forum with a person for each client, and two topics."""
    others = [f"person{number}" for number in range(THREADS - 2)]
    return prepare(database_url, database, tmp_path, others)


@pytest.fixture
def server(setting: Scene, database_url: str, tmp_path: Path) -> Iterator[Pserve]:
    """The service, with two processes that render and a thread for each client."""
    with serving(
        tmp_path,
        database_url,
        threads=THREADS,
        markup__workers="2",
        markup__user_seconds_per_minute="60",
        # A second of processor time may take long beside the tests of other processes.
        markup__wall_seconds="120",
    ) as server:
        yield server


def normal(server: Pserve, setting: Scene, number: int, stop: threading.Event) -> Answers:
    """Read, write, or write a long text, until stopped."""
    client = Client(server, setting.people[number].token or "")
    topic = setting.topics[0]
    while not stop.is_set():
        if number < READERS:
            client.send("GET", f"/topics/{topic}/replies?limit=5")
        else:
            body = "*normal* @bob" if number < READERS + WRITERS else f"*normal* {HARMLESS}"[:SIZE]
            made = client.send("POST", f"/topics/{topic}/replies", body=body)
            if "<em>normal</em>" not in made.get("body_html", ""):
                client.answers.failed.append(f"{number} not rendered".encode())
    client.close()
    return client.answers


def attack(server: Pserve, setting: Scene, person: Person, texts: list[str]) -> Answers:
    """Post hostile texts one after another."""
    client = Client(server, person.token or "")
    for text in texts:
        made = client.send("POST", f"/topics/{setting.topics[0]}/replies", body=text)
        if not made.get("body_html"):
            client.answers.failed.append(b"not stored")
    client.close()
    return client.answers


@on_sqlite
def test_hostile_texts_are_answered_and_delay_no_other_client(server, setting):
    quiet = Client(server, setting.people[1].token or "")
    for name in WARM_UP * THREADS:
        quiet.send("POST", f"/topics/{setting.topics[1]}/replies", body=TEXTS[name][:SIZE])
    quiet.close()
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss, len(process.children())
    texts = [TEXTS[name][:SIZE] for name in HOSTILE]
    stop = threading.Event()
    with ThreadPoolExecutor(THREADS) as threads:
        others = [
            threads.submit(normal, server, setting, number, stop)
            for number in range(THREADS - AT_ONCE)
        ]
        attacks = [
            threads.submit(attack, server, setting, person, texts[number::AT_ONCE])
            for number, person in enumerate(setting.people[-AT_ONCE:])
        ]
        hostile = [attack.result() for attack in attacks]
        stop.set()
        *normals, long = [other.result() for other in others]
    after = process.memory_info().rss, len(process.children())

    for answers in [quiet.answers, *hostile, *normals, long]:
        assert answers.failed == []
    assert server.log.count("is shown unrendered: timeout") >= 2
    slowest = sorted(second for answers in hostile for second in answers.seconds)
    for number, answers in enumerate(normals):
        # Compared with the two texts that run out of time, so that a busy machine meets both.
        assert statistics.median(answers.seconds) < slowest[-2] / 3, number
        assert len(answers.seconds) > len(HOSTILE), number
    assert after[1] == before[1]
    assert after[0] < before[0] + (60 << 20)
