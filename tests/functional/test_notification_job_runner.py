"""The thread that notifies followers after the commit: when it runs, and concurrency."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from forumsvc.db.engine import Database
from forumsvc.errors import IncompatibleDatabase
from forumsvc.models import Notification, NotificationJob, NotificationType
from forumsvc.services.notifications import job_runner, jobs
from forumsvc.services.notifications.job_runner import NotificationJobRunner
from tests.databases import on_postgresql
from tests.functional.conftest import MakeForum, close_application
from tests.functional.forum import Forum, add_followers, make_app
from tests.functional.metric_samples import MetricSamples
from tests.functional.raw import raw
from tests.functional.recounting import drift
from tests.system.process import wait_until

pytestmark = pytest.mark.both_databases

FOLLOWERS = 450


@pytest.fixture
def popular(make_forum: MakeForum) -> Forum:
    """A forum in which alice has more followers than two batches notify."""
    return make_forum(notifications__inline_recipients="10")


def notified_counts(database: Database) -> tuple[int, int]:
    """Return how many notifications of topics there are, and for how many users."""
    user_id = Notification.user_id
    counts = select(func.count(), func.count(user_id.distinct()))
    with database.reads.connect() as db:
        of_topics = counts.where(Notification.type == NotificationType.TOPIC)
        notifications, users = db.execute(of_topics).one()
        return notifications, users


def is_done(forum: Forum) -> bool:
    """Return whether no job is left."""
    return forum.count(NotificationJob) == 0


def test_the_process_of_a_post_notifies_all_followers_right_after_it(popular: Forum) -> None:
    alice = popular.person("alice")
    add_followers(popular.database, alice, FOLLOWERS)
    popular.topic(alice, popular.node())
    wait_until(partial(is_done, popular), "all followers are notified")
    assert notified_counts(popular.database) == (FOLLOWERS, FOLLOWERS)
    assert drift(popular.database) == []


def test_a_process_finds_what_another_one_left(
    make_forum: MakeForum, popular: Forum, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = popular.person("alice")
    add_followers(popular.database, alice, FOLLOWERS)
    monkeypatch.setattr(popular.registry.notification_jobs, "wake", lambda: None)
    popular.topic(alice, popular.node())
    assert notified_counts(popular.database) == (10, 10)
    other = make_forum(notifications__job_interval_seconds="0.05")
    assert other.nobody.get("/topics").status_int == 200
    wait_until(partial(is_done, popular), "the other process has done it")
    assert notified_counts(popular.database) == (FOLLOWERS, FOLLOWERS)


@pytest.fixture
def runner(forum: Forum, monkeypatch: pytest.MonkeyPatch) -> Iterator[NotificationJobRunner]:
    """A runner whose thread never starts; that of the application does nothing."""
    monkeypatch.setattr(forum.registry.notification_jobs, "wake", lambda: None)
    runner = NotificationJobRunner(forum.database, 3600)
    yield runner
    runner.close()


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The jobs of all batches that run, in their order; the clock advances between them."""
    ran: list[int] = []
    original = jobs.run_batch

    def run_batch(db: Session, job_id: int) -> bool:
        ran.append(job_id)
        return original(db, job_id, 100)

    monkeypatch.setattr(job_runner, "_PAUSE_FACTOR", 0)
    monkeypatch.setattr(jobs, "run_batch", run_batch)
    return ran


def open_topics(forum: Forum, number: int) -> list[int]:
    """Create so many topics of alice, who has many followers; return the jobs."""
    alice, node = forum.person("alice"), forum.node()
    add_followers(forum.database, alice, 300)
    for _ in range(number):
        forum.topic(alice, node)
    with forum.database.reads.connect() as db:
        return list(db.scalars(select(NotificationJob.id).order_by(NotificationJob.id)))


def test_jobs_take_turns_so_that_a_small_one_waits_for_no_large_one(
    forum: Forum, runner: NotificationJobRunner, batches: list[int]
) -> None:
    first, second = open_topics(forum, 2)
    runner.run_all()
    assert batches == [first, second, first, second, first, second]
    assert notified_counts(forum.database) == (600, 300)


@pytest.mark.parametrize(
    "error",
    [OperationalError("UPDATE\nusers", None, Exception("a lock")), IncompatibleDatabase("Old.")],
)
def test_a_job_that_fails_keeps_no_other_one_waiting(
    error: Exception,
    forum: Forum,
    runner: NotificationJobRunner,
    batches: list[int],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    first, second = open_topics(forum, 2)
    running = jobs.run_batch

    def run_batch(db: Session, job_id: int) -> bool:
        if job_id == first:
            raise error
        return running(db, job_id)

    monkeypatch.setattr(jobs, "run_batch", run_batch)
    runner.run_all()
    assert batches == [second] * 3
    assert {len(warning.splitlines()) for warning in caplog.messages} == {1}
    assert f"the followers of job {first} are notified later" in caplog.text
    monkeypatch.setattr(jobs, "run_batch", running)
    runner.run_all()
    assert notified_counts(forum.database) == (600, 300)


def test_a_job_with_a_mistake_keeps_no_other_one_waiting(
    forum: Forum,
    runner: NotificationJobRunner,
    batches: list[int],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    first, second = open_topics(forum, 2)
    running = jobs.run_batch

    def run_batch(db: Session, job_id: int) -> bool:
        if job_id == first:
            raise RuntimeError("a mistake")
        return running(db, job_id)

    monkeypatch.setattr(jobs, "run_batch", run_batch)
    runner.run_all()
    assert batches == [second] * 3
    assert f"job {first} has failed" in caplog.text


def test_the_end_comes_between_two_batches_and_loses_nothing(
    forum: Forum, runner: NotificationJobRunner, batches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    [job] = open_topics(forum, 1)
    running = jobs.run_batch

    def run_batch(db: Session, job_id: int) -> bool:
        runner.close()
        return running(db, job_id)

    monkeypatch.setattr(jobs, "run_batch", run_batch)
    runner.run_all()
    assert batches == [job]
    assert notified_counts(forum.database) == (200, 200)
    assert forum.count(NotificationJob) == 1


def test_each_batch_is_a_transaction_of_bounded_size(
    forum: Forum, runner: NotificationJobRunner
) -> None:
    open_topics(forum, 1)
    steps: list[int] = []
    while not is_done(forum):
        assert len(steps) < 3
        before, _ = notified_counts(forum.database)
        [job_id] = _job_ids(forum)
        with forum.database.session.begin() as db:
            jobs.run_batch(db, job_id)
        steps.append(notified_counts(forum.database)[0] - before)
    assert steps == [jobs.BATCH_SIZE, 0]


def _job_ids(forum: Forum) -> list[int]:
    with forum.database.reads.connect() as db:
        return jobs.pending(db).job_ids


@on_postgresql
def test_a_job_that_another_process_runs_is_left_to_it(
    forum: Forum, runner: NotificationJobRunner
) -> None:
    [job] = open_topics(forum, 1)
    with forum.database.session.begin() as one:
        assert jobs.run_batch(one, job)
        with forum.database.session.begin() as other:
            assert not jobs.run_batch(other, job)
    assert notified_counts(forum.database) == (300, 300)


def test_the_metrics_say_how_many_jobs_wait_and_since_when(
    database_url: str, database: Database, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    application = make_app(database_url, tmp_path, **{"metrics.enabled": "true"})
    forum = Forum(application, database)
    runner = forum.registry.notification_jobs
    monkeypatch.setattr(runner, "wake", lambda: None)
    try:
        assert figures(forum) == (0, 0)
        open_topics(forum, 2)
        monkeypatch.setattr(runner, "_run_batch", lambda job_id: False)
        runner.run_all()
        number, age = figures(forum)
        assert (number, 0 < age < 60) == (2, True)
        monkeypatch.undo()
        runner.run_all()
        assert figures(forum) == (0, 0)
    finally:
        close_application(application)


def figures(forum: Forum) -> tuple[float, float]:
    """Return the metrics of the jobs."""
    samples = MetricSamples.of(raw(forum, "GET", "/metrics").text)
    name = "forumsvc_notification_jobs"
    return samples.sum(f"{name}_waiting"), samples.sum(f"{name}_oldest_seconds")
