"""Notifications: their types, recipients and contents."""

import pytest

from tests.functional.forum import Forum, Person
from tests.functional.notifications import notifications_of, types

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


def test_a_new_topic_does_not_notify_those_whom_its_author_follows(
    forum: Forum, alice: Person, bob: Person, node: int
) -> None:
    alice.post("/users/bob/follow")
    forum.topic(alice, node)
    assert types(bob) == ["Follow"]


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


def test_a_new_reply_notifies_the_topics_followers(
    forum: Forum, alice: Person, bob: Person, node: int
) -> None:
    topic, carol = forum.topic(alice, node), forum.person("carol")
    carol.post(f"/topics/{topic}/follow")
    forum.reply(bob, topic)
    assert types(carol) == ["TopicReply"]


def test_a_new_reply_does_not_notify_the_followers_of_its_author(
    forum: Forum, alice: Person, bob: Person, node: int
) -> None:
    topic, carol = forum.topic(alice, node), forum.person("carol")
    carol.post("/users/bob/follow")
    forum.reply(bob, topic)
    assert notifications_of(carol) == []


@pytest.mark.parametrize(
    "before",
    [
        ["alice /topics/{topic}/follow"],
        ["bob /users/alice/block"],
        ["alice /users/bob/block", "alice /users/bob/unblock"],
    ],
)
def test_a_topics_author_is_notified_once_unless_they_block_the_replier(
    forum: Forum, alice: Person, bob: Person, topic: int, before: list[str]
) -> None:
    for step in before:
        login, path = step.format(topic=topic).split()
        assert {"alice": alice, "bob": bob}[login].post(path).status_int == 200
    forum.reply(bob, topic)
    assert types(alice) == ["TopicReply"]


def test_nobody_is_notified_about_what_they_did_themselves(
    forum: Forum, alice: Person, node: int
) -> None:
    topic = forum.topic(alice, node, body="I am @alice")
    alice.post(f"/topics/{topic}/follow")
    reply = forum.reply(alice, topic, "Still @alice")
    alice.post(f"/replies/{reply}", body="Ever @alice!")
    alice.put(f"/topics/{topic}", title="T", node_id=forum.node("Other"), body="@alice?")
    assert notifications_of(alice) == []


def test_users_who_block_the_actor_are_never_notified(
    forum: Forum, alice: Person, node: int
) -> None:
    chief, other = forum.person("chief", role="admin"), forum.node("Other")
    topic = forum.topic(alice, node)
    alice.post("/users/chief/follow")
    alice.post("/users/chief/block")
    chief.post("/users/alice/follow")
    forum.topic(chief, node, body="@alice")
    reply = forum.reply(chief, topic, "@alice")
    chief.post(f"/replies/{reply}", body="Again @alice")
    chief.put(f"/topics/{topic}", title="T", node_id=other, body="By @alice")
    assert notifications_of(alice) == []


def test_a_follow_notifies_the_user_and_shows_the_actor_only(alice: Person, bob: Person) -> None:
    bob.post("/users/alice/follow")
    [one] = notifications_of(alice)
    assert (one["type"], one["actor"]["login"], one["read"]) == ("Follow", "bob", False)
    assert [one[key] for key in ("mention_type", "mention", "topic", "reply", "node")] == [None] * 5


def test_repeated_follows_notify_once(alice: Person, bob: Person) -> None:
    for _ in range(3):
        bob.post("/users/alice/follow")
        bob.post("/users/alice/unfollow")
    assert types(alice) == ["Follow"]


def test_a_repeated_follow_does_not_notify_after_the_notification_was_deleted(
    alice: Person, bob: Person
) -> None:
    bob.post("/users/alice/follow")
    alice.delete("/notifications/all")
    bob.post("/users/alice/unfollow")
    bob.post("/users/alice/follow")
    assert notifications_of(alice) == []


def test_a_follow_during_a_block_does_not_use_up_the_one_notification(
    alice: Person, bob: Person
) -> None:
    alice.post("/users/bob/block")
    bob.post("/users/alice/follow")
    assert notifications_of(alice) == []
    alice.post("/users/bob/unblock")
    bob.post("/users/alice/unfollow")
    bob.post("/users/alice/follow")
    assert types(alice) == ["Follow"]


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


def test_an_edit_by_somebody_else_without_a_move_notifies_nobody(
    forum: Forum, alice: Person, node: int
) -> None:
    chief = forum.person("chief", role="maintainer")
    topic = forum.topic(alice, node)
    chief.put(f"/topics/{topic}", title="Better", node_id=node, body="Better")
    assert notifications_of(alice) == []


def test_a_move_with_a_mention_of_the_author_notifies_of_the_mention_only(
    forum: Forum, alice: Person, node: int
) -> None:
    chief, other = forum.person("chief", role="maintainer"), forum.node("Other")
    topic = forum.topic(alice, node)
    chief.put(f"/topics/{topic}", title="T", node_id=other, body="Moved, @alice")
    assert types(alice) == ["Mention"]


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
