"""Events are read completely and once, though their transactions commit in another order."""

import os
import random
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select
from sqlalchemy.orm import Session

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import Event, EventType
from forumsvc.services.event_consumers import consume
from tests.databases import on_postgresql
from tests.functional.event_horizon import wait_for_horizon

pytestmark = on_postgresql

WRITERS = 8
MOST_PAUSE_SECONDS = 0.004
EVENTS = int(os.environ.get("STORM_EVENTS", "4000"))
"""docs/quality.md has the figures of 20,000."""


class Reader:
    """A consumer that keeps the ids of the events that it handled."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.ids: list[int] = []

    def read(self) -> int:
        """Handle the next events; return how many."""
        with self.database.session.begin() as db:
            return consume(db, "reader", self._handle, clock.now())

    def _handle(self, db: Session, events: Sequence[Any]) -> None:
        self.ids += [event.id for event in events]


def add(db: Connection) -> int:
    """Insert an event and return its id."""
    values = {"type": EventType.REPLY_CREATED, "created_at": clock.now()}
    return db.execute(insert(Event).values(values).returning(Event.id)).scalar_one()


def test_an_event_that_commits_after_a_later_one_is_not_missed(database):
    reader = Reader(database)
    by_id: list[int] = []

    def read_by_id() -> None:
        """The control: a reader that remembers an id alone."""
        with database.reads.connect() as db:
            after = max(by_id, default=0)
            by_id.extend(db.scalars(select(Event.id).where(Event.id > after).order_by(Event.id)))

    with database.writes.connect() as slow, database.writes.connect() as quick:
        first, second = add(slow), add(quick)
        quick.commit()
        read_by_id()
        assert reader.read() == 0, "the slow transaction may still insert before"
        slow.commit()
    read_by_id()
    wait_for_horizon(database)
    reader.read()
    assert reader.ids == [first, second]
    assert by_id == [second], "the control misses the event, or this test shows nothing"


@pytest.mark.parametrize("number", [400, pytest.param(EVENTS, marks=pytest.mark.extended)])
def test_no_event_of_writers_that_pause_before_their_commit_is_missed_or_doubled(database, number):
    reader = Reader(database)
    done = threading.Event()

    def write(seed: int) -> None:
        pauses = random.Random(seed)  # noqa: S311 - nothing is secret
        for _ in range(number // WRITERS):
            with database.writes.begin() as db:
                add(db)
                db.execute(select(func.pg_sleep(pauses.uniform(0, MOST_PAUSE_SECONDS))))

    def read() -> None:
        while not done.is_set():
            reader.read()

    reading = threading.Thread(target=read)
    reading.start()
    writers = [threading.Thread(target=write, args=(seed,)) for seed in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    done.set()
    reading.join()
    wait_for_horizon(database)
    while reader.read():
        pass
    with database.reads.connect() as db:
        written = list(db.scalars(select(Event.id).order_by(Event.id)))
    assert len(written) == number
    assert sorted(reader.ids) == written
