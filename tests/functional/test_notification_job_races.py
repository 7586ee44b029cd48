"""Batches beside concurrent changes: no notification of a hidden post, and none twice."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from sqlalchemy import func, select, text

from forumsvc import clock
from forumsvc.models import Job, JobKind, Notification, Topic
from forumsvc.services.notifications import notify_jobs
from tests.databases import on_postgresql
from tests.functional.forum import Caller, Forum, Person
from tests.functional.notifications import claim_notify
from tests.functional.recounting import drift
from tests.functional.storm import LOGINS, Storm
from tests.functional.threads import alone, flat, statuses, together
from tests.system.process import wait_until

pytestmark = pytest.mark.both_databases

HIDING = {
    "delete the reply": ("DELETE", "/replies/{reply}"),
    "delete the topic": ("DELETE", "/topics/{topic}"),
    "ban the topic": ("POST", "/topics/{topic}/action?type=ban"),
}


@pytest.mark.parametrize("how", HIDING)
@on_postgresql
def test_who_hides_a_post_waits_for_the_batch_under_way_and_takes_back_what_it_inserted(
    forum, monkeypatch, how
):
    authoring = replace(forum.registry.authoring, inline_recipients=1)
    monkeypatch.setattr(forum.registry, "authoring", authoring)
    alice, chief = forum.person("alice"), forum.person("chief", role="admin")
    topic = forum.topic(alice, forum.node())
    for number in range(5):
        forum.person(f"fan{number}").post(f"/topics/{topic}/follow")
    reply = forum.reply(forum.person("bob"), topic)
    method, path = HIDING[how]
    place = path.format(topic=topic, reply=reply)
    hide_beside_a_batch(forum, chief, method, place)
    assert (forum.count(Job), forum.count(Notification)) == (0, 0)
    assert drift(forum.database) == []


def hide_beside_a_batch(forum: Forum, chief: Caller, method: str, place: str) -> None:
    """Start a batch of two, hide a post, which waits for the batch, and finish the batch."""
    answers: list[Any] = []
    thread = threading.Thread(
        target=lambda: answers.append(alone(forum, chief).call(method, place))
    )
    job = claim_notify(forum)
    with forum.database.session() as db, forum.database.reads.connect() as watch:
        notify_jobs.run_batch(db, job, clock.now(), 2)
        holder = db.scalar(select(func.pg_backend_pid()))
        thread.start()
        waits = text("SELECT 1 FROM pg_stat_activity WHERE :pid = ANY (pg_blocking_pids(pid))")
        wait_until(lambda: watch.scalar(waits, {"pid": holder}), "it waits for the batch")
        db.commit()
    thread.join()
    assert [answer.status_int for answer in answers] == [200]


@on_postgresql
def test_who_deletes_a_reply_waits_for_the_batch_that_notifies_of_the_next(forum, monkeypatch):
    alice, bob = forum.person("alice"), forum.person("bob")
    topic = forum.topic(alice, forum.node())
    # Each looks at ten of them: the first ten have an unread notification, the last has none.
    fans = [forum.person(f"fan{number:02}") for number in range(12)]
    for fan in fans[:11]:
        fan.post(f"/topics/{topic}/follow")
    first = forum.reply(bob, topic)
    fans[11].post(f"/topics/{topic}/follow")
    authoring = replace(forum.registry.authoring, inline_recipients=1)
    monkeypatch.setattr(forum.registry, "authoring", authoring)
    next_reply = forum.reply(bob, topic)
    hide_beside_a_batch(forum, bob, "DELETE", f"/replies/{first}")
    assert notify_all(forum)
    heard = [[one["reply"]["id"] for one in fan.get("/notifications").json] for fan in fans]
    assert heard == [[next_reply]] * 12
    assert drift(forum.database) == []


def notify_all(forum: Forum) -> bool:
    """Run the jobs that are due, and return whether none is left."""
    forum.registry.job_runner.run_due(JobKind.NOTIFY)
    return forum.count(Job) == 0


class Moderator(Storm):
    """An admin who replies, opens topics, and hides them and replies at random."""

    def doings(self) -> list[Callable[[], Any]]:
        """Return the kinds of requests to choose from."""
        others = [self.open_topic, self.hide, self.delete, self.relate, self.tidy, self.tidy]
        return [self.reply] * 5 + others

    def reply(self) -> Any:
        """POST /topics/:id/replies, and run the jobs that are due."""
        made = super().reply()
        notify_all(self.forum)
        return made

    def open_topic(self) -> Any:
        """POST /topics, to which others reply."""
        made = super().open_topic()
        self.topics.append(made.json["id"])
        return made

    def hide(self) -> Any:
        if self.choices.random() < 0.2:
            return self.delete_topic()
        how = self.one(["ban", "unban", "unban"])
        return self.caller.post(f"/topics/{self.one(self.topics)}/action?type={how}")


def test_a_storm_leaves_no_job_no_double_and_no_wrong_counter(make_forum, monkeypatch):
    monkeypatch.setattr(notify_jobs.run_batch, "__defaults__", (2,))
    forum = make_forum(notifications__inline_recipients="1")
    people = [forum.person(login, role="admin") for login in LOGINS]
    node = forum.node()
    topics = [forum.topic(each, node) for each in people]
    fans = [forum.person(f"fan{number}") for number in range(6)]
    for fan in [*people, *fans]:
        for topic in topics:
            fan.post(f"/topics/{topic}/follow")
        for person in people:
            fan.post(f"/users/{person.login}/follow")
    replies = [forum.reply(people[0], topics[0])]
    storms = [
        Moderator(forum, person, seed, [node], topics, replies)
        for seed, person in enumerate(people)
    ]
    assert set(statuses(flat(together([each.run for each in storms])))) <= {200, 201, 403, 404}
    wait_until(partial(notify_all, forum), "all followers are notified")
    assert drift(forum.database) == []
    assert doubles(forum) == []
    assert all(is_rising(person) for person in [*people, *fans])


def doubles(forum: Forum) -> list[Any]:
    """Return the users with two notifications of one event, or two unread replies of a topic."""
    found = Notification.__table__.c
    with forum.database.reads.connect() as db:
        post = func.coalesce(found.reply_id, 0)
        events = select(found.user_id, found.topic_id, post).where(
            found.type.in_(["Topic", "TopicReply", "Mention"])
        )
        twice = events.group_by(found.user_id, found.topic_id, post).having(func.count() > 1)
        # The author of a topic is notified about every reply to it.
        unread = (
            select(found.user_id, found.topic_id)
            .join(Topic, (Topic.id == found.topic_id) & (Topic.user_id != found.user_id))
            .where(found.type == "TopicReply", found.read_at.is_(None))
        )
        two = unread.group_by(found.user_id, found.topic_id).having(func.count() > 1)
        return [*db.execute(twice), *db.execute(two)]


def is_rising(person: Person) -> bool:
    """Return whether a user's notifications come newest first."""
    ids = [one["id"] for one in person.get("/notifications", limit=150).json]
    return ids == sorted(ids, reverse=True)
