"""The service is killed while people read: what they opened five seconds before is remembered."""

import http.client
import os
import signal
import threading
import time
from dataclasses import dataclass, field

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.models import Reply, Topic, TopicRead
from tests.functional.forum import API, Person
from tests.functional.rows import insert_rows
from tests.system.forum_process import prepare, serving
from tests.system.process import PATIENCE, wait_until

pytestmark = pytest.mark.both_databases

READERS = 16
TOPICS = 1_000
MOST_LOST = 5.0
"""Seconds before the kill from which places may be lost."""


@dataclass
class Reader:
    """Opens one topic after the other; opened: each with the time of its answer (monotonic)."""

    port: int
    person: Person
    topics: list[int]
    stop: threading.Event
    opened: dict[int, float] = field(default_factory=dict)

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {self.person.token}"}
        try:
            for topic in self.topics:
                if self.stop.wait(0.02):
                    return
                connection.request("GET", f"{API}/topics/{topic}", headers=headers)
                answer = connection.getresponse()
                answer.read()
                assert answer.status == 200
                self.opened[topic] = time.monotonic()
        except (OSError, http.client.HTTPException):
            pass  # the service was killed
        finally:
            connection.close()


def test_places_that_were_opened_five_seconds_before_a_kill_are_kept(
    database_url, database, tmp_path
):
    scene = prepare(database_url, database, tmp_path, [f"reader{one}" for one in range(READERS)])
    author, readers = scene.people[0], scene.people[-READERS:]
    with database.session.begin() as db:
        node = db.scalars(select(Topic.node_id).limit(1)).one()
        now = clock.now()
        topic_rows = [{"user_id": author.id, "node_id": node, "replied_at": now}] * TOPICS
        topics = insert_rows(db, Topic, topic_rows)
        reply = {"user_id": author.id, "created_at": now}
        insert_rows(db, Reply, [{"topic_id": one, **reply} for one in topics])
    stop = threading.Event()
    with serving(tmp_path, database_url, processes=2, notifications__read_on_open="always") as it:
        it.workers()
        clients = [Reader(it.port, person, topics, stop) for person in readers]
        threads = [threading.Thread(target=client.run) for client in clients]
        for thread in threads:
            thread.start()

        def is_old_enough() -> bool:
            opened = [moment for client in clients for moment in [*client.opened.values()]]
            return bool(opened) and time.monotonic() - min(opened) > MOST_LOST + 2

        try:
            wait_until(is_old_enough, "places that may not be lost")
            killed = time.monotonic()
            os.killpg(it.process.pid, signal.SIGKILL)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    with database.reads.connect() as db:
        columns = select(TopicRead.user_id, TopicRead.topic_id, TopicRead.last_reply_id)
        kept = {(user, topic) for user, topic, last in db.execute(columns) if last}
    old = {
        (client.person.id, topic)
        for client in clients
        for topic, moment in client.opened.items()
        if moment < killed - MOST_LOST
    }
    assert old
    assert old - kept == set()
