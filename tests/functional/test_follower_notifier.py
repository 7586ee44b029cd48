"""The background worker notifies followers: in batches, in turn, and past those who are locked."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from forumsvc import clock
from forumsvc.background.follower_notifier import FollowerNotifier
from forumsvc.background.job_runner import JobRunner
from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind, Notification, NotificationType, User
from forumsvc.services import jobs
from forumsvc.services.jobs import Claimed
from forumsvc.services.notifications import notify_jobs
from tests.databases import on_postgresql
from tests.functional.forum import Forum, add_followers
from tests.functional.notifications import claim_notify
from tests.functional.recounting import drift

pytestmark = pytest.mark.both_databases

FOLLOWERS = 450


def work(forum: Forum) -> int:
    """Let the background worker notify all who are not locked; return the number of batches."""
    runner = JobRunner(forum.database, [FollowerNotifier(forum.database)], 1.0)
    return runner.run_due(JobKind.NOTIFY)


def notified_counts(database: Database) -> tuple[int, int]:
    """Return how many notifications of topics there are, and for how many users."""
    user_id = Notification.user_id
    counts = select(func.count(), func.count(user_id.distinct()))
    with database.reads.connect() as db:
        of_topics = counts.where(Notification.type == NotificationType.TOPIC)
        notifications, users = db.execute(of_topics).one()
        return notifications, users


def test_posts_take_turns_in_batches_of_bounded_size(forum, monkeypatch):
    alice, node = forum.person("alice"), forum.node()
    add_followers(forum.database, alice, FOLLOWERS)
    first, second = forum.topic(alice, node), forum.topic(alice, node)
    assert notified_counts(forum.database) == (200, 100)
    batches: list[tuple[str, int]] = []
    running = notify_jobs.run_batch

    def run_batch(db: Session, job: Claimed, *now: object) -> None:
        running(db, job, *now)  # type: ignore[arg-type]
        notified = select(func.count()).where(Notification.topic_id == int(job.key))
        batches.append((job.key, db.scalar(notified) or 0))

    monkeypatch.setattr(notify_jobs, "run_batch", run_batch)
    assert work(forum) == 4
    one, other = str(first), str(second)
    assert batches == [(one, 300), (other, 300), (one, 450), (other, 450)]
    assert notified_counts(forum.database) == (2 * FOLLOWERS, FOLLOWERS)
    assert drift(forum.database) == []


def test_who_has_lost_a_job_to_another_process_notifies_nobody(forum):
    alice = forum.person("alice")
    add_followers(forum.database, alice, FOLLOWERS)
    forum.topic(alice, forum.node())
    lost = claim_notify(forum)
    with forum.database.session.begin() as db:
        jobs.release_untried(db, lost, clock.now())
    claim_notify(forum)
    with forum.database.session.begin() as db:
        notify_jobs.run_batch(db, lost, clock.now())
    assert notified_counts(forum.database) == (100, 100)


@on_postgresql
def test_a_follower_who_is_locked_keeps_those_of_other_posts_not_waiting(forum, monkeypatch):
    monkeypatch.setattr(
        forum.registry, "authoring", replace(forum.registry.authoring, inline_recipients=0)
    )
    alice, bob, node = forum.person("alice"), forum.person("bob"), forum.node()
    fans = [forum.person(login) for login in ("carol", "dan")]
    for author, fan in zip((alice, bob), fans, strict=True):
        fan.post(f"/users/{author.login}/follow")
        forum.topic(author, node)
    with forum.database.session.begin() as db:
        db.execute(select(User.id).where(User.id == fans[0].id).with_for_update())
        assert work(forum) == 2
        with forum.database.reads.connect() as reads:
            told = reads.scalars(
                select(Notification.user_id).where(Notification.type == NotificationType.TOPIC)
            )
            assert set(told) == {fans[1].id}
            waiting = reads.execute(select(Job.attempts, Job.due_at)).one()
    assert waiting.attempts == 0
    monkeypatch.setattr(clock, "now", lambda: waiting.due_at)
    assert work(forum) == 1
    assert notified_counts(forum.database) == (2, 2)
