"""The queue: each job is claimed by one process, tried again after pauses, and given up."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import literal, select, text
from sqlalchemy.exc import OperationalError

from forumsvc import clock
from forumsvc.background.job_runner import Handler, JobRunner
from forumsvc.db import expired_rows
from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind, JobState
from forumsvc.services import jobs
from forumsvc.services.jobs import Claimed

pytestmark = pytest.mark.both_databases

MINUTE = timedelta(minutes=1)


class Notes(Handler):
    """Notes the ids of the jobs and finishes them; the next ones fail with `errors`, one each."""

    kind = JobKind.NOTIFY
    at_once = 1
    lock = MINUTE
    pauses = (MINUTE, MINUTE)

    def __init__(self, database: Database) -> None:
        self.database = database
        self.seen: list[int] = []
        self.errors: list[BaseException] = []

    def run(self, job: Claimed) -> None:
        self.seen.append(job.id)
        if self.errors:
            raise self.errors.pop(0)
        with self.database.session.begin() as db:
            jobs.finish(db, job, clock.now())


class Scene:
    """A runner whose clock is `now`."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.database = database
        self.now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: self.now)
        self.handler = Notes(database)
        self.runner = JobRunner(database, [self.handler], 0.01)

    def enqueue(self, number: int = 1) -> None:
        with self.database.session.begin() as db:
            for _ in range(number):
                jobs.enqueue(db, JobKind.NOTIFY, self.now, {})

    def run(self) -> int:
        return self.runner.run_due(JobKind.NOTIFY)

    def rows(self) -> list[Any]:
        with self.database.reads.connect() as db:
            return list(db.execute(select(Job.__table__).order_by(Job.id)))


@pytest.fixture
def scene(database: Database, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(database, monkeypatch)


def test_jobs_are_done_once_in_their_order_and_then_deleted(scene):
    scene.enqueue(3)
    ids = [row.id for row in scene.rows()]
    assert scene.run() == 3
    assert (scene.handler.seen, scene.rows()) == (ids, [])


def test_a_job_that_fails_is_tried_after_each_pause_and_then_given_up_and_kept(scene, caplog):
    scene.enqueue(2)
    first, second = (row.id for row in scene.rows())
    scene.handler.errors = [ValueError("a mistake")]
    assert scene.run() == 2
    for _ in scene.handler.pauses:
        assert scene.run() == 0
        scene.handler.errors = [ValueError("a mistake")]
        scene.now += MINUTE
        assert scene.run() == 1
    scene.now += timedelta(days=1)
    assert scene.run() == 0
    assert scene.handler.seen == [first, second, first, first]
    [row] = scene.rows()
    assert (row.state, row.error, row.attempts) == (JobState.FAILED, "ValueError: a mistake", 3)
    assert caplog.text.count("a mistake; it is tried again at") == 2
    assert caplog.text.count("a mistake; it is given up") == 1


def test_a_job_that_made_progress_has_all_its_attempts_again(scene, caplog, monkeypatch):
    scene.enqueue()
    for _ in scene.handler.pauses:
        scene.handler.errors = [ValueError("a mistake")]
        scene.run()
        scene.now += MINUTE

    def advance_and_fail(job: Claimed) -> None:
        with scene.database.session.begin() as db:
            jobs.save_progress(db, job, {"part": 1})
        raise ValueError("another mistake")

    monkeypatch.setattr(scene.handler, "run", advance_and_fail)
    assert scene.run() == 1
    [row] = scene.rows()
    assert (row.state, row.attempts, row.due_at) == ("waiting", 1, scene.now + MINUTE)
    assert "(attempt 1): ValueError: another mistake; it is tried again" in caplog.text


def test_a_job_that_is_under_way_is_not_retried(scene):
    scene.enqueue()
    with scene.database.session.begin() as db:
        job: Any = jobs.claim(db, JobKind.NOTIFY, scene.now, MINUTE)
        assert jobs.retry(db, scene.now, ids=[job.id]) == []
    [row] = scene.rows()
    assert row.attempts == 1
    scene.now += MINUTE
    with scene.database.session.begin() as db:
        assert jobs.retry(db, scene.now, ids=[job.id]) == [job.id]
        jobs.release_untried(db, job, scene.now)
    [row] = scene.rows()
    assert row.attempts == 0


def test_an_erasure_or_a_sweep_that_is_given_up_is_kept_until_somebody_looks(scene):
    kinds = (JobKind.ACCOUNT, JobKind.SWEEP, JobKind.NOTIFY)
    with scene.database.session.begin() as db:
        for kind in kinds:
            jobs.enqueue_failed(db, kind, scene.now, {}, "1", "a mistake")
    given_up, _ = jobs.expired(timedelta(days=14))
    scene.now += timedelta(days=15)
    expired_rows.delete_batch(scene.database, given_up, scene.now)
    assert [row.kind for row in scene.rows()] == ["account", "sweep"]


def test_a_temporary_failure_of_the_database_is_no_attempt_and_keeps_no_other_job_waiting(scene):
    scene.enqueue(2)
    first, second = (row.id for row in scene.rows())
    away = OperationalError("SELECT 1", {}, Exception("server closed the connection"))
    for _ in range(5):
        scene.handler.errors = [away]
        assert scene.run() >= 1
        assert [row.attempts for row in scene.rows()] == [0]
        scene.now += timedelta(seconds=1)
    assert scene.run() == 1
    assert scene.handler.seen == [first, second, *[first] * 5]
    assert scene.rows() == []


class Killed(BaseException):
    """The process ends here."""


def test_a_job_whose_process_dies_is_taken_over_when_its_lock_has_ended(scene):
    scene.enqueue()
    scene.handler.errors = [Killed()]
    with pytest.raises(Killed):
        scene.run()
    assert scene.run() == 0
    scene.now += MINUTE
    assert (scene.run(), scene.rows()) == (1, [])


def test_who_has_lost_a_job_to_another_process_changes_nothing_of_it(scene):
    scene.enqueue()
    with scene.database.session.begin() as db:
        lost = jobs.claim(db, JobKind.NOTIFY, scene.now, MINUTE)
    scene.now += MINUTE
    with scene.database.session.begin() as db:
        assert jobs.claim(db, JobKind.NOTIFY, scene.now, MINUTE) is not None
    [before] = scene.rows()
    for change in (
        lambda db: jobs.finish(db, lost, scene.now),
        lambda db: jobs.fail(db, lost, scene.now, "late", ()),
        lambda db: jobs.release_untried(db, lost, clock.now()),
    ):
        with scene.database.session.begin() as db:
            change(db)
    assert scene.rows() == [before]


def test_a_job_that_is_made_due_keeps_the_lock_of_who_works_on_it(scene):
    def make_due(*, ends_pause: bool = False) -> Any:
        one = select(literal(1))
        with scene.database.session.begin() as db:
            jobs.make_due(db, JobKind.DELIVER, one, scene.now, ends_pause=ends_pause)
        [row] = scene.rows()
        return row

    def claim() -> Any:
        with scene.database.session.begin() as db:
            return jobs.claim(db, JobKind.DELIVER, scene.now, MINUTE)

    assert make_due().key == "1"
    job = claim()
    assert make_due(ends_pause=True)._asdict() == vars(job)
    with scene.database.session.begin() as db:
        jobs.save_progress(db, job, {}, due_at=scene.now + MINUTE)
    assert make_due().due_at == scene.now
    with scene.database.session.begin() as db:
        jobs.pause(db, claim(), scene.now + MINUTE, "no answer")
    assert make_due().due_at == scene.now + MINUTE
    assert make_due(ends_pause=True).due_at == scene.now
    with scene.database.session.begin() as db:
        jobs.fail(db, claim(), scene.now, "broken", ())
    again = make_due()
    assert (again.state, again.attempts, again.finished_at) == ("waiting", 0, None)


def test_one_job_is_claimed_whatever_the_plan_is(scene):
    scene.enqueue(50)
    with scene.database.session.begin() as db:
        if not scene.database.is_sqlite:
            # What is left: to look for the claimed one once for each job.
            for name in ("hashjoin", "mergejoin", "hashagg", "sort", "material", "indexscan"):
                db.execute(text(f"SET LOCAL enable_{name} = off"))
        assert jobs.claim(db, JobKind.NOTIFY, scene.now, MINUTE) is not None
    assert len([row for row in scene.rows() if row.attempts]) == 1


def test_the_threads_run_what_is_due_each_kind_with_its_bound(scene):
    scene.enqueue(3)
    scene.runner.run()
    scene.runner.close()
    assert len({*scene.handler.seen}) == len(scene.handler.seen)
    assert scene.runner.counts[JobKind.NOTIFY].waiting == 3


def test_a_job_that_a_clock_hours_ahead_has_locked_is_claimed_again(scene):
    scene.enqueue()
    hours = timedelta(hours=2)
    with scene.database.session.begin() as db:
        assert jobs.claim(db, JobKind.NOTIFY, scene.now + hours, MINUTE) is not None
    with scene.database.session.begin() as db:
        assert jobs.claim(db, JobKind.NOTIFY, scene.now, hours) is None  # a lock of its length
        assert jobs.count_due(db.connection(), JobKind.NOTIFY, scene.now, MINUTE, 9) == 1
        assert jobs.claim(db, JobKind.NOTIFY, scene.now, MINUTE) is not None
