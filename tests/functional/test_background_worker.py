"""The background worker does jobs in threads until it is stopped; one process reads events."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.exc import OperationalError

from forumsvc import clock
from forumsvc.background import worker as worker_module
from forumsvc.background.event_consumer import EventConsumer, EventReader
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.worker import BackgroundWorker
from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind
from forumsvc.services import event_consumers, jobs
from tests.cases import each

SECONDS = 30


class Recorder(EventConsumer):
    """A consumer that counts its looks; `error` is raised by the first one."""

    def __init__(self, database: Database, error: Exception | None = None) -> None:
        super().__init__(database, "test", lambda db, batch: None)
        self.looks = 0
        self.error = error
        self.has_looked_twice = threading.Event()

    def run(self) -> bool:
        self.looks += 1
        if self.looks >= 2:
            self.has_looked_twice.set()
        if self.looks == 1 and self.error is not None:
            raise self.error
        self.oldest_unread_at = clock.now()
        return False


class Report:
    """A host that cannot be written down."""

    runs = 0

    def run(self) -> None:
        self.runs += 1
        raise RuntimeError("a mistake")


MakeWorker = Callable[..., BackgroundWorker]


@pytest.fixture
def make_worker(database: Database) -> Iterator[MakeWorker]:
    """A function: a worker that hands events to a consumer; it is stopped at the end."""
    made = []

    def make(consumer: EventConsumer, lock: timedelta = event_consumers.LOCK) -> BackgroundWorker:
        reader = EventReader(database, [consumer], 0.01)
        reader.lock = lock
        runner = JobRunner(database, [reader], 0.01)
        report: Any = Report()
        made.append(BackgroundWorker(database, runner, report, [consumer]))
        return made[-1]

    yield make
    for worker in made:
        stop(worker)


def stop(worker: BackgroundWorker) -> None:
    worker.stop()
    if worker.thread is not None:
        worker.thread.join(SECONDS)
    assert worker.unfinished() == []


def job(database: Database) -> Any:
    with database.reads.connect() as db:
        return db.execute(select(Job.__table__)).one()


def test_what_fails_is_done_again_and_stops_nothing_else(database, make_worker, caplog):
    consumer = Recorder(database, RuntimeError("a mistake"))
    worker = make_worker(consumer)
    worker.start()
    assert consumer.has_looked_twice.wait(SECONDS)
    assert worker.unfinished() == ["jobs", "consume"]
    stop(worker)
    found = {name: stats.failures for name, stats in worker.stats.items()}
    assert found == {"jobs": 0, "host-report": 1, "test": 1}
    assert worker.stats["test"].runs == consumer.looks
    assert "host-report has failed" in caplog.text
    assert "consume job test has failed (attempt 1): RuntimeError: a mistake" in caplog.text


def test_jobs_that_are_always_there_come_back_after_a_load_has_deleted_them(
    database, make_worker, monkeypatch
):
    monkeypatch.setattr(worker_module, "_INSERT_SECONDS", 0.01)
    consumer = Recorder(database)
    make_worker(consumer).start()
    assert consumer.has_looked_twice.wait(SECONDS)
    with database.session.begin() as db:
        db.execute(delete(Job))
    consumer.looks = 0
    consumer.has_looked_twice.clear()
    assert consumer.has_looked_twice.wait(SECONDS)


@pytest.mark.both_databases
def test_one_worker_reads_events_and_another_goes_on_when_it_is_stopped(database, make_worker):
    consumers = [Recorder(database) for _ in range(2)]
    workers = [make_worker(consumer) for consumer in consumers]
    workers[0].start()
    assert consumers[0].has_looked_twice.wait(SECONDS)
    workers[1].start()
    assert not consumers[1].has_looked_twice.wait(0.3)
    stop(workers[0])
    # What metrics ask of it would be as old as its last look.
    assert consumers[0].oldest_unread_at is None
    assert consumers[1].has_looked_twice.wait(SECONDS)
    assert event_consumers.is_anybody_alive(database.executor, clock.now())
    stop(workers[1])
    assert job(database).locked_until is None


@pytest.mark.both_databases
def test_another_worker_goes_on_when_the_lock_of_a_killed_one_has_ended(database, make_worker):
    lock = timedelta(seconds=1)
    killed = JobRunner(database, [EventReader(database, [Recorder(database)], 0.01)], 0.01)
    killed.insert_standing()
    with database.session.begin() as db:
        until = clock.now() + lock
        db.execute(update(Job).values(locked_until=until, attempts=2, error="a mistake"))
    consumer = Recorder(database)
    worker = make_worker(consumer, lock)
    began_at = time.monotonic()
    worker.start()
    assert consumer.has_looked_twice.wait(SECONDS)
    assert time.monotonic() - began_at > 0.9
    # It renews: nobody else gets it.
    time.sleep(1.5)
    renewed = job(database)
    assert renewed.locked_until > clock.now()
    assert (renewed.attempts, renewed.error) == (1, None)
    with database.session.begin() as db:
        db.execute(update(Job).values(locked_until=clock.now() + timedelta(hours=1)))
    time.sleep(0.5)
    looks = consumer.looks
    time.sleep(0.2)
    assert consumer.looks == looks, "another process has the job"
    stop(worker)


@pytest.mark.both_databases
def test_a_database_that_was_away_for_a_moment_is_no_failed_attempt(database, make_worker):
    away = OperationalError("SELECT 1", {}, Exception("server closed the connection"))
    consumer = Recorder(database, away)
    worker = make_worker(consumer)
    worker.start()
    assert consumer.has_looked_twice.wait(SECONDS)
    assert event_consumers.is_anybody_alive(database.executor, clock.now())
    stop(worker)
    assert job(database).error is None


@pytest.mark.both_databases
@each(
    ("locked", "due", "is_alive"),
    [
        (30, -60, True),
        # The lock of a clock that was hours ahead is nobody's.
        (7200, -60, False),
        # It has failed a moment ago, and pauses.
        (None, 1, True),
        (None, -4, True),
        (None, -6, False),
    ],
)
def test_a_worker_is_alive_that_has_a_job_or_has_just_failed(locked, due, is_alive, database):
    now = clock.now()
    values: dict[str, Any] = {"due_at": now + timedelta(seconds=due), "locked_until": None}
    if locked is not None:
        values["locked_until"] = now + timedelta(seconds=locked)
    with database.session.begin() as db:
        jobs.insert_standing(db, JobKind.CONSUME, now, ["test"])
        db.execute(update(Job).values(**values, data={"process": "forum-1-4711"}))
    assert event_consumers.is_anybody_alive(database.executor, now) is is_alive
    with database.reads.connect() as reads:
        held = is_alive and locked is not None
        assert event_consumers.processes(reads, now) == (["forum-1-4711"] if held else [])
