"""Webhooks under load and with background workers that die: nothing is lost or held up."""

import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select
from standardwebhooks import Webhook as Verifier

from forumsvc import clock
from forumsvc.background import webhook_sender
from forumsvc.db.engine import Database
from forumsvc.models import ALL_EVENTS, Event, EventType, WebhookDelivery
from forumsvc.services.webhooks import webhook_signature, webhooks
from tests.functional.conftest import close_application
from tests.functional.forum import SECRET, Forum, make_app
from tests.system.forum_process import INI
from tests.system.process import prepare_child, repeat_until
from tests.system.pserve import LOGGING
from tests.system.webhook_receiver import Received, receiving

SEED = 20_261_123
EVENTS = int(os.environ.get("STORM_EVENTS", "2000"))
POSTS = int(os.environ.get("STORM_POSTS", "400"))
KILLS = int(os.environ.get("STORM_KILLS", "15"))
"""docs/quality.md has the figures of 10,000 events, 2,000 posts and 100 kills."""
DELIVERED = WebhookDelivery.state == "delivered"

log = logging.getLogger(__name__)


@dataclass
class Scene:
    """A forum with an ini file, from which background workers are started."""

    forum: Forum
    database: Database
    ini: Path

    def add_webhook(self, url: str) -> int:
        with self.database.session.begin() as db:
            return webhooks.create(
                *(db, None, clock.now()),
                url=url,
                events=[ALL_EVENTS],
                node_ids=None,
                description="",
                most=20,
            )

    def add_events(self, number: int) -> list[str]:
        """Record events, and return their public ids."""
        user_id = self.forum.person("ann").id
        now = clock.now()
        values = {"type": EventType.USER_UPDATED, "user_id": user_id, "created_at": now}
        with self.database.session.begin() as db:
            db.execute(insert(Event), [values] * number)
        return self.event_ids()

    def event_ids(self) -> list[str]:
        with self.database.reads.connect() as db:
            return [f"evt_{one}" for one in db.scalars(select(Event.id).order_by(Event.id))]

    def count(self, *conditions: Any) -> int:
        query = select(func.count()).select_from(WebhookDelivery).where(*conditions)
        with self.database.reads.connect() as db:
            return db.scalar(query) or 0

    @contextmanager
    def run(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """Run a Python program, and end it by closing its standard input, or by SIGTERM."""
        with subprocess.Popen(
            [sys.executable, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=prepare_child,
        ) as process:
            try:
                yield process
            finally:
                assert process.stdin is not None
                process.stdin.close()
                process.terminate()

    def work(self) -> list[str]:
        return ["-m", "forumsvc.cli", "-c", str(self.ini), "work"]


@pytest.fixture
def scene(database_url: str, database: Database, tmp_path: Path) -> Iterator[Scene]:
    """An empty forum on each database."""
    ini = tmp_path / "forum.ini"
    more = "webhooks.allow_private = true\nmarkup.workers = 1\nsite.url = http://127.0.0.1:6543"
    server = {"processes": 1, "threads": 1, "worker": True, "app": "forumsvc:main"}
    ini.write_text(INI.format(url=database_url, secret=SECRET, more=more, **server) + LOGGING)
    application = make_app(database_url, tmp_path, **{"site.url": "http://127.0.0.1:6543"})
    yield Scene(Forum(application, database), database, ini)
    close_application(application)


def wait_seldom(condition: Callable[[], object], what: str) -> None:
    """As `wait_until`, for a condition that costs what is measured."""
    for _ in repeat_until(condition, what):
        time.sleep(0.25)


@contextmanager
def silent() -> Iterator[str]:
    """Listen on an address where nobody ever answers; yields its URL."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def verify(received: Received, path: str, webhook_id: int) -> None:
    """Verify the last message of a path with the reference library."""
    headers, body = received.last[path]
    secret = webhook_signature.derive_secret(SECRET, webhook_id, 1)
    Verifier(webhook_signature.format_secret(secret)).verify(body, headers)


def test_every_event_reaches_four_receivers_though_a_fifth_is_dead(scene):
    paths = ["/1", "/2", "/3", "/4"]
    with ExitStack() as stack:
        received = stack.enter_context(receiving())
        ids = [scene.add_webhook(received.url(path)) for path in paths]
        dead = scene.add_webhook(stack.enter_context(silent()))
        events = scene.add_events(EVENTS)
        began = time.monotonic()
        stack.enter_context(scene.run(*scene.work()))
        wait_seldom(lambda: scene.count(DELIVERED) == 4 * len(events), "all are delivered")
        seconds = time.monotonic() - began
        log.info("%d messages in %.0f s", 4 * len(events), seconds)
        assert scene.count(WebhookDelivery.webhook_id == dead) == len(events)
    for path, webhook_id in zip(paths, ids, strict=True):
        assert received.times[path] == dict.fromkeys(events, 1)
        verify(received, path, webhook_id)


def test_workers_killed_in_a_storm_of_posts_lose_nothing_and_make_no_delivery_twice(scene):
    forum = scene.forum
    with receiving() as received:
        webhook_id = scene.add_webhook(received.url("/"))
        alice, node = forum.person("alice"), forum.node()
        topic = forum.topic(alice, node)
        words = ("-m", "tests.system.killed_workers", str(scene.ini), str(KILLS), str(SEED))
        with scene.run(*words) as workers:
            assert workers.stdout is not None
            for number in range(POSTS):
                forum.reply(alice, topic, f"Reply {number}")
            assert workers.stdout.readline() == f"{KILLS} are killed\n"
            wait_seldom(lambda: scene.count(DELIVERED) == POSTS + 1, "all are delivered")
    events = scene.event_ids()
    with scene.database.reads.connect() as db:
        made = [*db.scalars(select(WebhookDelivery.event_id).order_by(WebhookDelivery.event_id))]
    assert [f"evt_{one}" for one in made] == events
    times = received.times["/"]
    assert times.keys() == set(events)
    twice = sum(times.values()) - len(times)
    log.info("%d events, %d messages twice", len(events), twice)
    assert twice <= KILLS * webhook_sender._BATCH_SIZE
    verify(received, "/", webhook_id)
