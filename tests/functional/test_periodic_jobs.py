"""Periodic work: each piece is a job, due again after its interval, and holds up no other."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from forumsvc import clock
from forumsvc.background import periodic
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.periodic import Parts, Periodic, PeriodicJobs
from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind
from forumsvc.queries.jobs import counts, newest
from forumsvc.services import jobs
from tests.functional.background_jobs import periodic_works

pytestmark = pytest.mark.both_databases

MINUTE = timedelta(minutes=1)


class Scene:
    """A runner of two pieces of work, whose clock stands still."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.database = database
        self.now = clock.now()
        self.done: list[str] = []
        self.error: Exception | None = None
        monkeypatch.setattr(clock, "now", lambda: self.now)
        works = [Periodic("bad", MINUTE, self.fail), Periodic("good", MINUTE, self.work)]
        self.runner = JobRunner(database, [PeriodicJobs(database, works)], 0.01)
        self.runner.insert_standing()

    def fail(self) -> Parts:
        yield from self.work("bad")
        if self.error is not None:
            raise self.error

    def work(self, name: str = "good") -> Parts:
        for _ in range(2):
            self.done.append(name)
            yield 1

    def run(self) -> list[str]:
        """Do what is due; return which parts were done, sorted."""
        self.done.clear()
        self.runner.run_due(JobKind.PERIODIC)
        return sorted(self.done)

    def rows(self) -> list[Any]:
        with self.database.reads.connect() as db:
            return list(db.execute(select(Job.__table__).order_by(Job.key)))


@pytest.fixture
def scene(database: Database, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(database, monkeypatch)


def test_a_job_is_due_again_after_its_interval(scene):
    assert scene.run() == ["bad", "bad", "good", "good"]
    assert scene.run() == []
    scene.runner.insert_standing()
    assert {row.due_at for row in scene.rows()} == {scene.now + MINUTE}
    scene.now += MINUTE
    assert len(scene.run()) == 4
    assert {(row.attempts, row.locked_until, row.state) for row in scene.rows()} == {
        (0, None, "waiting")
    }


def test_one_that_fails_pauses_is_listed_holds_up_no_other_and_is_never_given_up(scene, caplog):
    scene.error = ValueError("a mistake")
    for attempt, minutes in enumerate((1, 3, 3, 3, 3), start=1):
        assert scene.run() == ["bad", "bad", "good", "good"]
        [failing, _] = scene.rows()
        assert (failing.state, failing.attempts) == ("waiting", attempt)
        assert failing.due_at == scene.now + minutes * MINUTE
        scene.now = failing.due_at
    assert "periodic job bad has failed (attempt 5): ValueError: a mistake; it is tried" in (
        caplog.text
    )
    with scene.database.reads.connect() as db:
        assert [row.key for row in newest(db, None, None, 20)] == ["bad"]
        assert len(newest(db, JobKind.PERIODIC, None, 20)) == 2
    assert scene.runner.stats["bad"].failures == 5
    scene.error = None
    scene.run()
    assert [row.error for row in scene.rows()] == [None, None]
    with scene.database.reads.connect() as db:
        assert newest(db, None, None, 20) == []
        assert {count for count in counts(db).values() if count.waiting or count.failed} == set()


def test_long_work_gives_others_their_turn_and_goes_on(scene, monkeypatch):
    seconds = iter(range(100))
    monkeypatch.setattr(periodic, "_TURN_SECONDS", 0)
    monkeypatch.setattr(periodic.time, "monotonic", lambda: next(seconds))
    with scene.database.session.begin() as db:
        first = jobs.claim(db, JobKind.PERIODIC, scene.now, MINUTE, ("bad",))
    scene.runner._handlers[JobKind.PERIODIC].run(first)
    assert scene.done == ["bad"]
    assert [row.due_at for row in scene.rows()] == [scene.now] * 2


def test_a_worker_that_stops_ends_a_piece_of_work_between_two_parts(scene):
    def stop() -> Parts:
        for number in range(9):
            scene.done.append(str(number))
            scene.runner.close()
            yield 1

    handler = PeriodicJobs(scene.database, [Periodic("good", MINUTE, stop)])
    scene.runner = JobRunner(scene.database, [handler], 0.01)
    assert scene.run() == ["0"]
    assert [row.due_at for row in scene.rows()] == [scene.now] * 2


def test_work_that_only_another_release_knows_is_left_alone(scene):
    with scene.database.session.begin() as db:
        jobs.insert_standing(db, JobKind.PERIODIC, scene.now - MINUTE, ["newer"])
    scene.run()
    with scene.database.reads.connect() as db:
        assert db.scalars(select(Job.key).where(Job.due_at < scene.now)).all() == ["newer"]
        newer = ("bad", "good")
        assert jobs.count_due(db, JobKind.PERIODIC, scene.now, MINUTE, 9, newer) == 0


def test_the_names_fit_into_the_key_of_a_job_and_into_a_label(forum):
    for name in periodic_works(forum):
        assert len(name) <= Job.key.type.length
        assert name == name.lower().replace("_", "-")


def test_one_that_a_clock_hours_ahead_has_done_is_due_again(scene):
    scene.now += timedelta(hours=5)
    scene.run()
    scene.now -= timedelta(hours=5)
    assert scene.run() == ["bad", "bad", "good", "good"]
    assert scene.run() == []


def test_an_error_of_the_database_is_listed_and_not_tried_again_at_once(scene):
    scene.error = OperationalError("SELECT 1", {}, Exception("database is locked"))
    scene.run()
    failing, _ = scene.rows()
    assert (failing.attempts, failing.due_at) == (0, scene.now + MINUTE)
    assert "database is locked" in failing.error


def test_none_can_be_discarded(scene):
    with scene.database.session.begin() as db:
        assert jobs.discard(db, [row.id for row in scene.rows()]) == []
    assert len(scene.rows()) == 2
