"""Notifications: their types, recipients and contents."""

import json

import pytest

from forumsvc.models import Notification
from tests.functional.forum import Forum, Person
from tests.functional.notifications import notifications_of, types
from tests.functional.rows import insert_row

pytestmark = pytest.mark.usefixtures("advancing_clock")


def test_a_new_topic_notifies_the_followers_of_its_author(
    forum: Forum, alice: Person, bob: Person, node: int
) -> None:
    bob.post("/users/alice/follow")
    topic = forum.topic(alice, node, title="Hear")
    [one] = notifications_of(bob)
    assert (one["type"], one["read"], one["mention_type"]) == ("Topic", False, None)
    assert one["actor"]["login"] == "alice"
    assert one["topic"] == forum.nobody.get("/topics").json[0]
    assert one["topic"]["id"] == topic
    assert (one["mention"], one["reply"], one["node"]) == (None, None, None)
    assert one["created_at"] == one["updated_at"] == one["topic"]["created_at"]


def test_a_new_reply_notifies_the_topics_author(
    forum: Forum, topic: int, alice: Person, bob: Person
) -> None:
    reply = forum.reply(bob, topic, "An *answer*")
    [one] = notifications_of(alice)
    assert (one["type"], one["read"], one["mention_type"]) == ("TopicReply", False, None)
    assert one["actor"]["login"] == "bob"
    assert one["topic"] == forum.nobody.get("/topics").json[0]
    assert one["reply"] == forum.nobody.get(f"/topics/{topic}/replies").json[0]
    assert one["reply"]["id"] == reply
    assert (one["mention"], one["node"]) == (None, None)


def test_a_follow_notifies_the_user_and_shows_the_actor_only(alice: Person, bob: Person) -> None:
    bob.post("/users/alice/follow")
    [one] = notifications_of(alice)
    assert (one["type"], one["actor"]["login"], one["read"]) == ("Follow", "bob", False)
    assert [one[key] for key in ("mention_type", "mention", "topic", "reply", "node")] == [None] * 5


def test_a_topic_moved_by_somebody_else_notifies_its_author(
    forum: Forum, alice: Person, node: int
) -> None:
    chief, other = forum.person("chief", role="maintainer"), forum.node("Other")
    topic = forum.topic(alice, node)
    chief.put(f"/topics/{topic}", title="T", node_id=other, body="B")
    [one] = notifications_of(alice)
    assert (one["type"], one["actor"]["login"]) == ("NodeChanged", "chief")
    assert one["topic"] == forum.nobody.get("/topics").json[0]
    assert one["node"] == forum.nobody.get(f"/nodes/{other}").json
    assert (one["mention_type"], one["mention"], one["reply"]) == (None, None, None)


def test_blocked_users_are_notified_and_deleted_ones_are_not(
    forum: Forum, alice: Person, bob: Person, node: int
) -> None:
    carol = forum.person("carol")
    topic = forum.topic(alice, node)
    for person in (bob, carol):
        person.post(f"/topics/{topic}/follow")
    forum.change(bob.id, state="blocked")
    forum.change(carol.id, state="deleted")
    forum.reply(forum.person("dave"), topic, "@carol")
    assert types(bob) == ["TopicReply"]
    forum.change(carol.id, state="active")
    assert notifications_of(carol) == []


def test_stored_details_hide_nothing_of_a_notification(
    forum: Forum, alice: Person, bob: Person
) -> None:
    details = json.dumps({"id": 0, "type": "Follow", "read": True, "action": "user.warned"})
    with forum.database.session.begin() as db:
        who = {"user_id": alice.id, "actor_id": bob.id}
        stored = insert_row(db, Notification, **who, type="Moderation", details=details)
    [one] = alice.get("/notifications").json
    shown = (one["id"], one["type"], one["read"], one["action"])
    assert shown == (stored, "Moderation", False, "user.warned")
