"""Places in topics: counted as by hand after anything, and remembered behind the request."""

import random
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError

from forumsvc import clock
from forumsvc.models import Notification, ReadCutoff, Reply, TopicRead
from forumsvc.queries import own_topics
from forumsvc.services.posts import reading
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person

pytestmark = pytest.mark.both_databases

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class Reader:
    """What somebody has read, kept by hand: of each topic the last reply, and whom they block."""

    def __init__(self, forum: Forum, person: Person, topics: dict[int, int]) -> None:
        """topics: with their nodes."""
        self.forum, self.person, self.topics = forum, person, topics
        self.places = dict.fromkeys(topics, 0)
        self.blocked: set[int] = set()

    def replies(self, topic: int) -> list[Any]:
        columns: list[Any] = [Reply.id, Reply.user_id, Reply.deleted_at]
        with self.forum.database.session() as db:
            found = select(*columns).where(Reply.topic_id == topic).order_by(Reply.id)
            return list(db.execute(found).all())

    def unread(self, topic: int) -> list[int]:
        ignored = {self.person.id, *self.blocked}
        return [
            reply.id
            for reply in self.replies(topic)
            if reply.id > self.places[topic]
            and reply.deleted_at is None
            and reply.user_id not in ignored
        ]

    def mark(self, topic: int, reply_id: int, *, force: bool) -> None:
        path = f"/topics/{topic}/read"
        marked = self.person.post(path, reply_id=reply_id, force=int(force)).json
        self.places[topic] = reply_id if force else max(self.places[topic], reply_id)
        assert marked["last_read_reply_id"] == self.places[topic]
        assert marked["unread_count"] == len(self.unread(topic))

    def mark_all(self, node: int | None) -> None:
        self.person.post("/topics/read_all", **({} if node is None else {"node_id": node}))
        for topic, its_node in self.topics.items():
            if node in (None, its_node):
                newest = max((reply.id for reply in self.replies(topic)), default=0)
                self.places[topic] = max(self.places[topic], newest)

    def toggle_block(self, writer: Person) -> None:
        self.person.post(f"/users/{writer.id}/{'un' * (writer.id in self.blocked)}block")
        self.blocked ^= {writer.id}

    def check(self) -> None:
        listed = self.person.get("/topics", include="state", limit=50).json
        states = {one["id"]: one["state"] for one in listed}
        for topic in self.topics:
            unread, state = self.unread(topic), states[topic]
            read = [one.id for one in self.replies(topic) if one.id <= self.places[topic]]
            assert state["unread_count"] == len(unread)
            assert state["first_unread_reply_id"] == (unread[0] if unread else None)
            assert state["last_read_reply_id"] == (read[-1] if read else None)
        shown = {one["id"] for one in self.person.get("/topics", type="unread", limit=50).json}
        assert shown == {topic for topic in self.topics if self.unread(topic)}
        with self.forum.database.session() as db:
            assert own_topics.count_unread(db, self.person.id)[:2] == (len(shown), False)
        groups = self.person.get("/notifications/groups", type="TopicReply", unread="true").json
        for group in groups:
            topic = group["topic"]["id"]
            assert self.as_told(group["unread_replies"]) == self.expected(topic)

    def expected(self, topic: int) -> Any:
        """Return what a group of notifications must tell of the unread replies of its topic."""
        unread = self.unread(topic)
        written_by = {reply.id: reply.user_id for reply in self.replies(topic)}
        authors = [*dict.fromkeys(written_by[reply_id] for reply_id in reversed(unread))]
        return (len(unread), unread[0], authors[:3], len(authors)) if unread else None

    @staticmethod
    def as_told(replies: Any) -> Any:
        if replies is None:
            return None
        authors = [author["id"] for author in replies["authors"]]
        return replies["count"], replies["first_reply_id"], authors, replies["authors_count"]


@pytest.mark.parametrize("operations", [100, pytest.param(1_000, marks=pytest.mark.extended)])
def test_counts_equal_a_count_by_hand_after_random_operations(forum, operations):
    dice = random.Random(48)  # noqa: S311 - the same operations each time
    author, *writers = [forum.person(f"writer{number}") for number in range(4)]
    nodes = [forum.node("A"), forum.node("B")]
    topics = {forum.topic(author, node): node for node in nodes * 3}
    reader = Reader(forum, forum.person("reader"), topics)
    for topic in topics:
        reader.person.post(f"/topics/{topic}/follow")
    people = {person.id: person for person in (*writers, reader.person)}
    kinds = ["reply"] * 5 + ["own", "delete", "mark", "mark", "force", "all", "node", "block"]
    for step in range(operations):
        topic, kind = dice.choice([*topics]), dice.choice(kinds)
        replies = reader.replies(topic)
        if kind == "reply":
            forum.reply(dice.choice(writers), topic)
        elif kind == "own":
            forum.reply(reader.person, topic)
        elif kind == "block":
            reader.toggle_block(dice.choice(writers))
        elif kind in ("all", "node"):
            reader.mark_all(topics[topic] if kind == "node" else None)
        elif replies and kind == "delete":
            reply = dice.choice(replies)
            people[reply.user_id].delete(f"/replies/{reply.id}")
        elif replies:
            reader.mark(topic, dice.choice(replies).id, force=kind == "force")
        if step % 20 == 0:
            reader.check()
    reader.check()


def place(forum: Forum, person: Person, topic: int) -> Any:
    return person.get(f"/topics/{topic}", include="state").json["state"]["last_read_reply_id"]


@pytest.fixture
def story(forum: Forum) -> tuple[Person, int, list[int]]:
    """A reader, a topic of somebody else's, and its replies, the last of which mentions them."""
    ann, bob = forum.person("ann"), forum.person("bob")
    topic = forum.topic(bob, forum.node())
    replies = [forum.reply(bob, topic, body) for body in ("One", "Two", "Three, @ann")]
    return ann, topic, replies


def unread_notifications(person: Person) -> int:
    return int(person.get("/notifications/unread_count").json["count"])


@pytest.mark.parametrize(
    ("setting", "envelope", "marks"),
    [
        ("off", "keyed", False),
        ("keyed", "keyed", True),
        ("keyed", "bare", False),
        ("always", "bare", True),
    ],
)
def test_opening_a_topic_marks_it_where_the_setting_says_so(
    make_forum: MakeForum, setting, envelope, marks
):
    forum = make_forum(**{"notifications.read_on_open": setting, "api.envelope": envelope})
    ann, bob = forum.person("ann"), forum.person("bob")
    topic = forum.topic(bob, forum.node())
    last = forum.reply(bob, topic, "Hello @ann")
    assert ann.get(f"/topics/{topic}").status_int == 200
    forum.reply(bob, topic, "Later")
    forum.registry.read_marker.finish()
    with forum.database.session() as db:
        places = db.scalars(select(TopicRead.last_reply_id).where(TopicRead.user_id == ann.id))
        assert places.all() == ([last] if marks else [])
        left = select(Notification.id).where(Notification.read_at.is_(None))
        assert len(db.scalars(left).all()) == (0 if marks else 1)


def test_opening_a_topic_marks_no_reply_that_was_still_being_written(make_forum: MakeForum):
    forum = make_forum(**{"notifications.read_on_open": "always"})
    ann, bob = forum.person("ann"), forum.person("bob")
    topic = forum.topic(bob, forum.node())
    first = forum.reply(bob, topic)
    marker = forum.registry.read_marker
    with marker._flush_lock:  # what was opened waits
        ann.get(f"/topics/{topic}")
        later = forum.reply(bob, topic, "@ann")
        with forum.database.session.begin() as db:  # it was begun before the first one
            db.execute(update(Reply).where(Reply.id == later).values(created_at=LONG_AGO))
    marker.finish()
    assert place(forum, ann, topic) == first
    assert unread_notifications(ann) == 1


def test_marking_a_topic_reads_what_replies_notify_of_and_no_notice_of_moderators(forum):
    bob, chief = forum.person("bob"), forum.person("chief", role="maintainer")
    topic = forum.topic(bob, forum.node())
    forum.reply(chief, topic, "Really, @bob?")
    chief.post(f"/topics/{topic}/action?type=close", reason="Rude")
    assert unread_notifications(bob) == 2
    bob.post(f"/topics/{topic}/read")
    [left] = bob.get("/notifications", unread="true").json
    assert left["type"] == "Moderation"


def test_pages_that_were_opened_long_ago_add_no_cut_off(forum, story):
    ann, _topic, replies = story
    with forum.database.session.begin() as db:
        for last in (replies[2], replies[1], replies[0], 0):
            reading.mark_all(db, ann.id, clock.now(), last_reply_id=last)
        kept = db.scalars(select(ReadCutoff.last_reply_id)).all()
    assert kept == [replies[2]]


def test_a_token_without_the_scope_write_does_not_mark_by_opening(make_forum: MakeForum):
    forum = make_forum(**{"notifications.read_on_open": "always"})
    ann, bob = forum.person("ann", scope="read"), forum.person("bob")
    topic = forum.topic(bob, forum.node())
    ann.get(f"/topics/{topic}")
    forum.registry.read_marker.finish()
    with forum.database.session() as db:
        mine = select(TopicRead.id).where(TopicRead.user_id == ann.id)
        assert db.scalars(mine).all() == []


def test_what_was_opened_moves_a_place_only_forwards(forum, story):
    ann, topic, (one, two, three) = story
    marker = forum.registry.read_marker
    for reply_ids, expected in (([one, two], two), ([one], two), ([three], three), ([], three)):
        marker.opened(ann.id, topic, reply_ids, expected, notifies=False)
        marker.finish()
        assert place(forum, ann, topic) == expected


def test_what_was_opened_before_one_went_back_by_force_does_not_undo_that(forum, story):
    ann, topic, (one, _two, three) = story
    marker = forum.registry.read_marker
    with marker._flush_lock:  # what was opened waits
        marker.opened(ann.id, topic, [three], three, notifies=False)
        ann.post(f"/topics/{topic}/read", reply_id=one, force=1)
    marker.finish()
    assert place(forum, ann, topic) == one
    marker.opened(ann.id, topic, [three], three, notifies=False)
    marker.finish()
    assert place(forum, ann, topic) == three


def test_what_was_seen_before_one_went_back_is_not_written_with_the_time_of_a_later_opening(
    forum, story
):
    ann, topic, (one, _two, three) = story
    marker = forum.registry.read_marker
    with marker._flush_lock:  # both wait, and are written as one
        marker.opened(ann.id, topic, [three], three, notifies=False)
        ann.post(f"/topics/{topic}/read", reply_id=one, force=1)
        marker.opened(ann.id, topic, [], three, notifies=False)
    marker.finish()
    assert place(forum, ann, topic) == one


def test_a_place_moves_neither_back_nor_on_with_its_topic(forum, story):
    ann, topic, (_one, two, three) = story
    chief, other = forum.person("chief", role="admin"), forum.node("Other")
    [node] = {one["node_id"] for one in forum.nobody.get("/topics").json}
    ann.post(f"/topics/{topic}/follow")
    ann.post("/topics/read_all", node_id=node)
    chief.call("PATCH", f"/topics/{topic}", {"node_id": other})
    assert place(forum, ann, topic) == three
    ann.post(f"/topics/{topic}/read", reply_id=two, force=1)
    ann.post("/topics/read_all", node_id=node)
    chief.call("PATCH", f"/topics/{topic}", {"node_id": node})
    assert place(forum, ann, topic) == two
    ann.post("/topics/read_all", node_id=node)
    assert place(forum, ann, topic) == three


def test_what_one_follows_in_a_node_that_lists_leave_out_is_in_ones_own_lists(forum):
    ann, bob = forum.person("ann"), forum.person("bob")
    topic = forum.topic(bob, forum.node("Quiet", hidden_in_lists=True))
    ann.post(f"/topics/{topic}/follow")
    forum.reply(bob, topic)
    assert ann.get("/topics").json == []
    for path in ("/topics?type=unread", "/users/me/topics?relation=following"):
        assert [one["id"] for one in ann.get(path).json] == [topic], path


def test_what_was_opened_never_goes_back_behind_what_was_marked_at_once(forum, story):
    ann, topic, (one, _two, three) = story
    ann.post("/topics/read_all")
    forum.registry.read_marker.opened(ann.id, topic, [one], one, notifies=False)
    forum.registry.read_marker.finish()
    assert place(forum, ann, topic) == three


def test_an_etag_with_state_is_never_confirmed_after_the_place_has_moved(forum, story):
    ann, topic, (one, *_) = story
    for path in (f"/topics/{topic}", "/topics"):
        ann.post(f"/topics/{topic}/read", reply_id=one, force=1)
        etag = {"If-None-Match": ann.get(path, include="state").headers["ETag"]}
        confirmed = ann.call("GET", path, {"include": "state"}, headers=etag)
        assert confirmed.status_int == 304
        ann.post(f"/topics/{topic}/read")
        assert ann.call("GET", path, {"include": "state"}, headers=etag).status_int == 200


def test_a_user_who_is_gone_holds_up_no_place_of_others(forum, story, caplog):
    ann, topic, (one, *_) = story
    marker = forum.registry.read_marker
    for user_id in (10**12, ann.id, 10**12 + 1):
        marker.opened(user_id, topic, [one], one, notifies=False)
    marker.finish()
    assert place(forum, ann, topic) == one
    # psycopg itself may warn about the end of its pipeline.
    assert [one for one in caplog.records if one.name.startswith("forumsvc")] == []


def test_who_is_deleted_after_they_opened_a_topic_gets_no_place(forum, story):
    ann, topic, (one, *_) = story
    eve = forum.person("eve")
    for person in (ann, eve):
        forum.registry.read_marker.opened(person.id, topic, [one], one, notifies=False)
    forum.change(eve.id, state="deleted")
    forum.registry.read_marker.finish()
    with forum.database.session() as db:
        assert db.scalars(select(TopicRead.id).where(TopicRead.user_id == eve.id)).all() == []
    assert place(forum, ann, topic) == one


def test_what_cannot_be_written_is_written_later(forum, story, monkeypatch):
    ann, topic, (one, *_) = story
    marker = forum.registry.read_marker

    def fail(*args: Any) -> None:
        raise OperationalError("", {}, Exception("away"))

    monkeypatch.setattr(marker, "_write_places", fail)
    marker.opened(ann.id, topic, [one], one, notifies=False)
    with pytest.raises(OperationalError):
        marker.finish()
    monkeypatch.undo()
    marker.finish()
    assert place(forum, ann, topic) == one
