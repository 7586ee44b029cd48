"""Followers who are notified after the commit of a post by a job, each of them once."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.models import Job, Notification
from forumsvc.services import jobs
from forumsvc.services.notifications import notify_jobs
from tests.functional.forum import Forum, Person
from tests.functional.notifications import claim_notify, notifications_of
from tests.functional.recounting import drift

pytestmark = pytest.mark.both_databases

MOST_BATCHES = 1000

INLINE = 2
FOLLOWERS = 7


@dataclass
class Scene:
    """Alice has a topic; seven users follow it and her. Jobs run only when the test runs them."""

    forum: Forum
    alice: Person
    bob: Person
    followers: list[Person]
    node: int
    topic: int

    def open_topic(self, body: str = "B") -> int:
        return self.forum.topic(self.alice, self.node, body=body)

    def reply(self, body: str = "B") -> int:
        return self.forum.reply(self.bob, self.topic, body)

    def batch(self, size: int = 2) -> bool:
        """Run a batch of the job whose turn it is, and return whether jobs are left."""
        job = claim_notify(self.forum)
        with self.forum.database.session.begin() as db:
            notify_jobs.run_batch(db, job, clock.now(), size)
        return self.forum.count(Job) > 0

    def finish(self, size: int = 2) -> None:
        for _ in range(MOST_BATCHES):
            if not self.forum.count(Job) or not self.batch(size):
                return
        raise AssertionError(f"After {MOST_BATCHES} batches there are jobs left.")

    def notified(self, **post: int) -> Counter[str]:
        """Return how often each user is notified about a post (topic_id, reply_id), by login."""
        [(name, value)] = post.items()
        column = Notification.__table__.c[name]
        with self.forum.database.reads.connect() as connection:
            ids = connection.scalars(select(Notification.user_id).where(column == value))
            names = {each.id: each.login for each in [self.alice, self.bob, *self.followers]}
            return Counter(names[user_id] for user_id in ids)

    def logins(self, *left_out: Person) -> dict[str, int]:
        """Return that each follower is notified once, but for some."""
        return {each.login: 1 for each in self.followers if each not in left_out}


def limit(forum: Forum, monkeypatch: pytest.MonkeyPatch, inline_recipients: int) -> None:
    """Set how many followers a post notifies."""
    authoring = replace(forum.registry.authoring, inline_recipients=inline_recipients)
    monkeypatch.setattr(forum.registry, "authoring", authoring)


@pytest.fixture
def scene(forum: Forum, monkeypatch: pytest.MonkeyPatch) -> Scene:
    limit(forum, monkeypatch, INLINE)
    alice, bob = forum.person("alice"), forum.person("bob")
    followers = [forum.person(f"fan{number}") for number in range(FOLLOWERS)]
    node = forum.node()
    topic = forum.topic(alice, node)
    for each in followers:
        assert each.post("/users/alice/follow").status_int == 200
        assert each.post(f"/topics/{topic}/follow").status_int == 200
    alice.delete("/notifications/all")
    return Scene(forum, alice, bob, followers, node, topic)


POSTS: dict[str, tuple[Callable[[Scene], int], str]] = {
    "topic": (Scene.open_topic, "topic_id"),
    "reply": (Scene.reply, "reply_id"),
}


@pytest.mark.parametrize("path", ["/topics/{topic}/read", "/topics/read_all"])
def test_who_has_read_a_reply_meanwhile_is_not_notified_of_it(scene, path):
    reply = scene.reply()
    reader = scene.followers[INLINE]
    reader.post(path.format(topic=scene.topic))
    while scene.batch(2):
        pass
    assert scene.notified(reply_id=reply) == {**scene.logins(reader), "alice": 1}


@pytest.mark.parametrize("kind", POSTS)
def test_a_post_notifies_a_bounded_number_and_the_batches_all_others(scene, kind):
    write, key = POSTS[kind]
    post = write(scene)
    others = {"alice": 1} if kind == "reply" else {}
    first = {each.login: 1 for each in scene.followers[:INLINE]}
    assert scene.notified(**{key: post}) == {**first, **others}
    for done in (2, 4):
        assert scene.batch(2)
        assert scene.notified(**{key: post}).total() == INLINE + done + len(others)
        assert drift(scene.forum.database) == []
    assert not scene.batch(2)
    assert scene.notified(**{key: post}) == {**scene.logins(), **others}
    assert scene.forum.count(Job) == 0
    assert drift(scene.forum.database) == []
    [early, late] = (
        notifications_of(each)[0] for each in (scene.followers[0], scene.followers[-1])
    )
    different = {"id", "topic", "reply"}
    assert {k: v for k, v in early.items() if k not in different} == {
        k: v for k, v in late.items() if k not in different
    }


@pytest.mark.parametrize("kind", POSTS)
def test_who_wants_none_of_the_kind_is_left_out_at_once_and_by_the_batches(scene, kind):
    write, key = POSTS[kind]
    without = scene.followers[0], scene.followers[-1]
    for each in without:
        scene.forum.change(each.id, unwanted_notifications=" Topic TopicReply ")
    post = write(scene)
    while scene.batch(2):
        pass
    others = {"alice": 1} if kind == "reply" else {}
    assert scene.notified(**{key: post}) == {**scene.logins(*without), **others}
    assert drift(scene.forum.database) == []


def test_as_many_followers_as_the_bound_leave_no_job(make_forum):
    forum = make_forum(notifications__inline_recipients="2")
    alice = forum.person("alice")
    for login in ("bob", "carol"):
        forum.person(login).post("/users/alice/follow")
    forum.topic(alice, forum.node())
    assert (forum.count(Job), forum.count(Notification)) == (0, 4)


@pytest.mark.parametrize("kind", POSTS)
def test_a_bound_of_none_leaves_all_followers_to_the_batches(scene, monkeypatch, kind):
    limit(scene.forum, monkeypatch, 0)
    write, key = POSTS[kind]
    post = write(scene)
    others = {"alice": 1} if kind == "reply" else {}
    assert scene.notified(**{key: post}) == others
    scene.finish()
    assert scene.notified(**{key: post}) == {**scene.logins(), **others}


def test_the_mentioned_and_the_author_are_notified_at_once_and_never_again(scene):
    last = scene.followers[-1]
    scene.alice.post(f"/topics/{scene.topic}/follow")
    reply = scene.reply(f"@{last.login}")
    assert [one["type"] for one in notifications_of(last)] == ["Mention"]
    assert [one["type"] for one in notifications_of(scene.alice)] == ["TopicReply"]
    # Deleted or read, so that nothing of theirs in the database keeps a second one away.
    last.delete("/notifications/all")
    scene.alice.delete("/notifications/all")
    scene.finish()
    assert scene.notified(reply_id=reply) == scene.logins(last)


def test_a_batch_notifies_those_who_follow_since_before_and_were_not_notified_with_the_post(scene):
    first, _, blocks, gone, leaves, *_ = scene.followers
    late = scene.forum.person("late")
    topic = scene.open_topic()
    first.delete("/notifications/all")
    blocks.post("/users/alice/block")
    scene.forum.change(gone.id, state="deleted")
    leaves.post("/users/alice/unfollow")
    late.post("/users/alice/follow")
    scene.finish()
    assert scene.notified(topic_id=topic) == scene.logins(first, blocks, gone, leaves)
    assert notifications_of(late) == []


def test_who_follows_again_meanwhile_is_notified_once_at_most(scene):
    topic = scene.open_topic()
    scene.batch(2)
    for each in (scene.followers[0], scene.followers[-1]):
        each.post("/users/alice/unfollow")
        each.post("/users/alice/follow")
    scene.finish()
    assert max(scene.notified(topic_id=topic).values()) == 1


def test_the_author_of_a_reply_who_follows_the_topic_is_not_notified(scene):
    last = scene.followers[-1]
    reply = scene.forum.reply(last, scene.topic)
    scene.finish()
    assert scene.notified(reply_id=reply) == {**scene.logins(last), "alice": 1}


def test_a_batch_makes_no_second_unread_notification_of_a_reply(scene):
    first, second = scene.reply(), scene.reply()
    scene.finish(size=FOLLOWERS)
    assert scene.notified(reply_id=first) == {**scene.logins(), "alice": 1}
    assert scene.notified(reply_id=second) == {"alice": 1}
    assert drift(scene.forum.database) == []


def test_a_deletion_before_a_batch_notifies_of_the_next_reply_once(scene):
    first = scene.reply()
    scene.finish()
    second = scene.reply()
    scene.bob.delete(f"/replies/{first}")
    early = {each.login: 1 for each in scene.followers[:INLINE]}
    assert scene.notified(reply_id=second) == {**early, "alice": 1}
    for each in scene.followers[:INLINE]:
        each.post("/notifications/read", ids=is_read(each))
    scene.finish()
    assert scene.notified(reply_id=second) == {**scene.logins(), "alice": 1}
    assert drift(scene.forum.database) == []


def test_a_batch_skips_followers_who_are_not_notified(scene):
    last = scene.followers[-1]
    scene.reply()
    scene.finish()
    last.post("/notifications/read", ids=is_read(last))
    second = scene.reply()
    assert scene.batch(size=1)
    assert scene.notified(reply_id=second) == {last.login: 1, "alice": 1}
    assert not scene.batch(size=1)


def is_read(person: Person) -> str:
    """Return the ids of a user's notifications, to be marked as read."""
    return ",".join(str(one["id"]) for one in person.get("/notifications").json)


def test_notifications_of_a_batch_have_newer_ids_than_those_read_before(scene):
    last = scene.followers[-1]
    topic = scene.open_topic()
    scene.bob.post(f"/users/{last.login}/follow")
    [seen] = notifications_of(last)
    scene.finish()
    [new] = last.get("/notifications", since=seen["id"]).json
    assert new["topic"]["id"] == topic


def test_a_batch_that_is_rolled_back_is_run_again(scene):
    topic = scene.open_topic()
    job = claim_notify(scene.forum)
    with scene.forum.database.session() as db:
        notify_jobs.run_batch(db, job, clock.now(), 2)
        db.rollback()
    with scene.forum.database.session.begin() as db:
        jobs.release_untried(db, job, clock.now())
    assert scene.notified(topic_id=topic).total() == INLINE
    scene.finish()
    assert scene.notified(topic_id=topic) == scene.logins()


HIDING: dict[str, tuple[str, str]] = {
    "delete the reply": ("DELETE", "/replies/{reply}"),
    "delete the topic": ("DELETE", "/topics/{topic}"),
    "ban the topic": ("POST", "/topics/{topic}/action?type=ban"),
}


@pytest.mark.parametrize("how", HIDING)
def test_when_a_post_is_hidden_the_rest_is_not_notified_and_what_was_notified_goes(scene, how):
    chief = scene.forum.person("chief", role="admin")
    reply = scene.reply()
    scene.batch(2)
    method, path = HIDING[how]
    done = chief.call(method, path.format(reply=reply, topic=scene.topic))
    assert done.status_int == 200
    assert scene.forum.count(Job) == 0
    assert scene.notified(reply_id=reply) == {}
    assert drift(scene.forum.database) == []


def test_a_deleted_reply_ends_no_other_job_of_its_topic(scene):
    chief = scene.forum.person("chief", role="admin")
    first, second = scene.reply(), scene.reply()
    chief.delete(f"/replies/{first}")
    scene.finish()
    # The first is gone, and so nothing unread keeps those from hearing whose turn came later.
    assert set(scene.notified(reply_id=second)) >= {each.login for each in scene.followers[INLINE:]}
