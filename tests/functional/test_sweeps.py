"""Hiding, deleting and restoring all posts of a user, in the background."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from forumsvc import clock
from forumsvc.background import sweeper
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.sweeper import Sweeper
from forumsvc.dump import Archive, load_dump, write_dump
from forumsvc.models import (
    AuditRecord,
    Job,
    JobKind,
    Notification,
    Reply,
    Sweep,
    SweepAction,
    SweptPost,
    Topic,
)
from forumsvc.services.moderation import actions
from forumsvc.services.moderation import sweeps as sweep_service
from tests.functional.forum import Forum, Person, content
from tests.functional.test_reports import only_review, report, resolve, wrong_counters

pytestmark = pytest.mark.both_databases


@pytest.fixture
def posts(forum: Forum, alice: Person, bob: Person, node: int) -> dict[str, list[int]]:
    """The ids of three topics and four replies of alice; two of the replies are in bob's topic."""
    topics = [forum.topic(alice, node) for _ in range(3)]
    other = forum.topic(bob, node)
    replies = [forum.reply(alice, topic) for topic in (topics[0], topics[1], other, other)]
    forum.reply(bob, topics[0])
    return {"topics": topics, "replies": replies, "others": [other]}


def work(forum: Forum) -> None:
    JobRunner(forum.database, [Sweeper(forum.database)], 1.0).run_due(JobKind.SWEEP)


def order(forum: Forum, user: Person, action: SweepAction, **more: Any) -> int:
    given = {"since": None, **more}
    with forum.database.session.begin() as db:
        return sweep_service.order(db, None, clock.now(), user.id, action, **given)


def silence(chief: Person, user: Person, **more: Any) -> Any:
    return chief.post(f"/users/{user.id}/silence", reason="Spam", **more)


def visible(forum: Forum) -> tuple[set[int], set[int]]:
    """Return the ids of the topics and of the replies that are neither banned nor deleted."""
    with forum.database.reads.connect() as db:
        seen = (Topic.deleted_at.is_(None), Topic.banned_at.is_(None))
        return (
            set(db.scalars(select(Topic.id).where(*seen))),
            set(db.scalars(select(Reply.id).where(Reply.deleted_at.is_(None)))),
        )


def records(forum: Forum, sweep_id: int) -> list[str]:
    with forum.database.reads.connect() as db:
        own = AuditRecord.request_id == f"sweep-{sweep_id}"
        return list(db.scalars(select(AuditRecord.action).where(own).order_by(AuditRecord.id)))


def finished(forum: Forum) -> list[int]:
    with forum.database.reads.connect() as db:
        return list(db.scalars(select(Sweep.id).where(Sweep.finished_at.is_not(None))))


def test_a_silence_hides_all_posts_with_a_record_each_and_one_notification(
    forum, chief, alice, posts
):
    assert silence(chief, alice, hide_posts="all").status_int == 200
    before = visible(forum)
    work(forum)
    topics, replies = visible(forum)
    assert before[0] - topics == set(posts["topics"])
    assert before[1] - replies == set(posts["replies"])
    shown = content(chief.get("/users/alice"))
    assert (shown["topics_count"], shown["replies_count"]) == (0, 0)
    assert wrong_counters(forum) == []
    log = content(chief.get("/moderation/log", user="alice", limit=100))
    done = [one["action"] for one in log]
    assert (done.count("topic.banned"), done.count("reply.deleted")) == (3, 4)
    [swept] = [one for one in log if one["action"] == "posts.swept"]
    assert {one["request_id"] for one in log if one["via"] == "auto"} == {swept["details"]["sweep"]}
    with forum.database.reads.connect() as db:
        own = Notification.user_id == alice.id
        told = select(func.count()).select_from(Notification)
        assert db.scalar(told.where(own, Notification.type == "Moderation")) == 1


def test_what_is_written_after_the_order_stays(forum, alice, posts, node):
    order(forum, alice, SweepAction.HIDE)
    topic = forum.topic(alice, node)
    reply = forum.reply(alice, posts["others"][0])
    work(forum)
    seen_topics, seen_replies = visible(forum)
    assert seen_topics == {*posts["others"], topic}
    assert reply in seen_replies
    assert seen_replies.isdisjoint(posts["replies"])


def test_recent_hides_the_posts_of_the_last_week(forum, chief, alice, posts):
    old = clock.now() - timedelta(days=8)
    with forum.database.session.begin() as db:
        db.execute(update(Topic).where(Topic.id == posts["topics"][0]).values(created_at=old))
        db.execute(update(Reply).where(Reply.id == posts["replies"][0]).values(created_at=old))
    silence(chief, alice, hide_posts="recent")
    work(forum)
    topics, replies = visible(forum)
    assert topics & set(posts["topics"]) == {posts["topics"][0]}
    assert replies & set(posts["replies"]) == {posts["replies"][0]}


@pytest.mark.parametrize("action", [SweepAction.HIDE, SweepAction.DELETE])
def test_restoring_gives_everything_back(forum, alice, posts, action):
    before = visible(forum)
    order(forum, alice, action)
    work(forum)
    assert visible(forum) != before
    restored = order(forum, alice, SweepAction.RESTORE)
    work(forum)
    assert visible(forum) == before
    assert len(records(forum, restored)) == 7
    assert wrong_counters(forum) == []


def test_what_a_moderator_hid_before_or_after_is_not_restored(forum, chief, alice, posts):
    first, second = posts["topics"][:2]
    chief.post(f"/topics/{first}/action", type="ban")
    order(forum, alice, SweepAction.HIDE)
    work(forum)
    chief.post(f"/topics/{second}/action", type="unban")
    chief.post(f"/topics/{second}/action", type="ban")
    order(forum, alice, SweepAction.RESTORE)
    work(forum)
    assert visible(forum)[0] & set(posts["topics"]) == {posts["topics"][2]}


def test_what_a_moderator_hides_that_is_swept_already_is_not_restored(forum, chief, alice, posts):
    topic, reply = posts["topics"][0], posts["replies"][3]
    order(forum, alice, SweepAction.HIDE)
    work(forum)
    for _ in range(3):
        banned = chief.post(f"/topics/{topic}/action?type=ban", reason="Spam")
        deleted = chief.delete(f"/replies/{reply}", reason="Spam")
        assert (banned.status_int, deleted.status_int) == (200, 200)
    order(forum, alice, SweepAction.RESTORE)
    work(forum)
    topics, replies = visible(forum)
    assert topics & set(posts["topics"]) == set(posts["topics"]) - {topic}
    assert replies & set(posts["replies"]) == set(posts["replies"]) - {reply}
    log = content(chief.get("/moderation/log", actor="chief"))
    assert [one["action"] for one in log] == ["reply.deleted", "topic.banned"]
    assert wrong_counters(forum) == []


def test_what_the_author_deletes_after_a_restore_stays_deleted(forum, chief, alice, posts):
    first, second, third = posts["topics"]
    reply = posts["replies"][2]
    order(forum, alice, SweepAction.HIDE)
    work(forum)
    chief.post(f"/topics/{second}/action", type="unban")
    order(forum, alice, SweepAction.RESTORE, since=clock.now() - timedelta(hours=1))
    work(forum)
    for path in (f"/topics/{second}", f"/topics/{third}", f"/replies/{reply}"):
        assert alice.delete(path).status_int == 200
    order(forum, alice, SweepAction.HIDE)
    work(forum)
    order(forum, alice, SweepAction.RESTORE)
    work(forum)
    topics, replies = visible(forum)
    assert topics & set(posts["topics"]) == {first}
    assert replies & set(posts["replies"]) == set(posts["replies"]) - {reply}
    assert wrong_counters(forum) == []


def test_what_a_moderator_decided_on_a_swept_post_is_not_restored(forum, chief, alice, bob, posts):
    reported = posts["topics"][0]
    report(bob, "topic", reported)
    order(forum, alice, SweepAction.HIDE)
    work(forum)
    resolve(chief, only_review(chief)["id"], "hide", reason="Spam")
    order(forum, alice, SweepAction.RESTORE)
    work(forum)
    assert visible(forum)[0] & set(posts["topics"]) == set(posts["topics"][1:])


def test_a_client_cannot_send_the_mark_of_a_sweep(make_forum):
    forum = make_forum(**{"moderation.hide_after": "2"})
    alice, bob, carol = (forum.person(one) for one in ("alice", "bob", "carol"))
    topic = forum.topic(alice, forum.node())
    for reporter in (bob, carol):
        values = {"obj_type": "topic", "obj_id": topic, "category": "spam"}
        answer = reporter.call("post", "/reports", values, headers={"X-Request-Id": "sweep-77"})
        assert not answer.headers["X-Request-Id"].startswith("sweep-")
    assert topic not in visible(forum)[0]
    order(forum, alice, SweepAction.RESTORE)
    work(forum)
    assert topic not in visible(forum)[0]


def test_restoring_needs_no_log(forum, alice, posts, monkeypatch):
    before = visible(forum)
    monkeypatch.setattr(actions, "_log", lambda *args, **more: None)
    for action in (SweepAction.HIDE, SweepAction.RESTORE):
        order(forum, alice, action)
        work(forum)
    assert visible(forum) == before


def test_a_post_that_fails_is_put_aside_and_the_others_go_on(forum, alice, bob, posts, monkeypatch):
    failing = set(posts["replies"][2:])
    destroy = sweep_service.replies.destroy

    def fail_for_some(db: Any, actor_id: Any, now: Any, reply: Any) -> bool:
        if reply.id in failing:
            raise IntegrityError("DELETE", {}, Exception("a broken row"))
        return destroy(db, actor_id, now, reply)

    monkeypatch.setattr(sweep_service.replies, "destroy", fail_for_some)
    sweeps = [order(forum, user, SweepAction.DELETE) for user in (alice, bob)]

    monkeypatch.setattr(Sweeper, "pauses", (timedelta(0),) * 5)
    work(forum)
    topics, replies = visible(forum)
    assert (topics, replies) == (set(), failing)
    assert sweeps == sorted(finished(forum))
    with forum.database.reads.connect() as db:
        aside = AuditRecord.action == "posts.swept", AuditRecord.reply_id.is_not(None)
        assert set(db.scalars(select(AuditRecord.reply_id).where(*aside))) == failing


def test_a_failure_of_the_database_puts_no_post_aside(forum, alice, posts, monkeypatch):
    destroy, failing = sweep_service.replies.destroy, posts["replies"][0]
    errors = iter([*[IntegrityError("DELETE", {}, Exception("a broken row"))] * 2, PoolTimeout()])

    def fail_at_first(db: Any, actor_id: Any, now: Any, reply: Any) -> bool:
        if reply.id == failing and (error := next(errors, None)):
            raise error
        return destroy(db, actor_id, now, reply)

    monkeypatch.setattr(sweep_service.replies, "destroy", fail_at_first)
    monkeypatch.setattr(Sweeper, "pauses", (timedelta(0),) * 5)
    sweep = order(forum, alice, SweepAction.DELETE)
    work(forum)
    later = clock.now() + timedelta(seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    work(forum)
    assert finished(forum) == [sweep]
    assert visible(forum)[1].isdisjoint(posts["replies"])


def test_a_worker_that_has_lost_its_job_puts_no_post_aside(forum, alice, posts, monkeypatch):
    order(forum, alice, SweepAction.DELETE)

    def fail(*arguments: Any) -> None:
        raise IntegrityError("DELETE", {}, Exception("a broken row"))

    def lose(*arguments: Any) -> None:
        with forum.database.session.begin() as db:
            db.execute(update(Job).values(locked_until=clock.now() + timedelta(hours=1)))

    monkeypatch.setattr(sweep_service, "sweep_post", fail)
    monkeypatch.setattr(sweeper.log, "exception", lose)
    monkeypatch.setattr(Sweeper, "pauses", (timedelta(0),) * 5)
    work(forum)
    with forum.database.reads.connect() as db:
        assert db.scalar(select(Job.attempts)) == sweeper._ATTEMPTS
        assert not db.scalars(
            select(AuditRecord.id).where(AuditRecord.details.contains("failed"))
        ).all()


def test_two_orders_take_turns(forum, alice, bob, posts, monkeypatch):
    forum.reply(bob, posts["topics"][1])
    monkeypatch.setattr(sweep_service, "BATCH_SIZE", 1)
    for user in (alice, bob):
        order(forum, user, SweepAction.DELETE)
    work(forum)
    with forum.database.reads.connect() as db:
        swept = select(SweptPost.sweep_id).order_by(SweptPost.id)
        first, second, *others = db.scalars(swept)
    assert first < second
    assert others[:3] == [first, second, first]


def test_an_order_goes_on_where_a_dump_without_jobs_is_loaded(
    forum, chief, alice, posts, target, tmp_path
):
    order(forum, alice, SweepAction.HIDE)
    chief.post(f"/topics/{posts['topics'][0]}/action", type="ban")
    write_dump(forum.database, tmp_path / "dump", secrets=False)
    load_dump(target, Archive(tmp_path / "dump"))
    meanwhile = clock.now()
    JobRunner(target, [Sweeper(target)], 1.0).run_due(JobKind.SWEEP)
    with target.reads.connect() as db:
        assert db.scalar(select(Sweep.finished_at)) is not None
        assert db.scalar(select(Sweep.posts_done)) == 6
        assert sweep_service.is_swept(db, alice.id, meanwhile)
        assert not sweep_service.is_swept(db, alice.id, clock.now() + timedelta(seconds=1))


class Killed(BaseException):
    """The process ends here."""


def test_an_interrupted_sweep_goes_on_where_it_was(forum, alice, posts, monkeypatch):
    sweep_id = order(forum, alice, SweepAction.DELETE)
    sweep_post, calls = sweep_service.sweep_post, []

    def die_in_the_third(*arguments: Any) -> None:
        sweep_post(*arguments)
        calls.append(arguments)
        if len(calls) == 3:
            raise Killed

    monkeypatch.setattr(sweep_service, "sweep_post", die_in_the_third)
    with pytest.raises(Killed):
        work(forum)
    later = clock.now() + Sweeper.lock
    monkeypatch.setattr(clock, "now", lambda: later)
    work(forum)
    assert len(records(forum, sweep_id)) == 7
    with forum.database.reads.connect() as db:
        done = db.execute(select(Sweep.posts_done, Sweep.finished_at)).one()
    assert (done.posts_done, done.finished_at is not None) == (7, True)
    assert wrong_counters(forum) == []


def test_a_silence_without_hide_posts_or_with_a_wrong_one_orders_nothing(forum, chief, alice):
    refused = silence(chief, alice, hide_posts="some")
    assert (refused.status_int, refused.json["error"].split(":")[0]) == (400, "hide_posts")
    assert content(chief.get("/users/alice"))["restriction"] is None
    assert silence(chief, alice).status_int == 200
    assert forum.count(Sweep) == 0
