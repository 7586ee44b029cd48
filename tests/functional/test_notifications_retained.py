"""Existing notifications: marking as read, deletion, and deletion with their cause."""

import pytest

from forumsvc.models import Notification, NotificationType
from tests.functional.forum import Forum, Person
from tests.functional.notifications import unread
from tests.functional.recounting import drift

pytestmark = pytest.mark.usefixtures("advancing_clock")


@pytest.fixture
def ids(forum: Forum, alice: Person, bob: Person, topic: int) -> list[int]:
    """Three notifications of alice, newest first."""
    for _ in range(3):
        forum.reply(bob, topic)
    return [one["id"] for one in alice.get("/notifications").json]


@pytest.mark.parametrize(("named", "read"), [([0, 1], [0, 1]), ([0, 0], [0]), ([], []), ([0], [0])])
def test_the_named_ones_are_marked_read_once(
    alice: Person, ids: list[int], named: list[int], read: list[int]
) -> None:
    for _ in range(2):
        done = alice.call("POST", "/notifications/read", json={"ids": [ids[n] for n in named]})
        assert (done.status_int, done.json) == (200, {"ok": 1})
        shown = [one["read"] for one in alice.get("/notifications").json]
        assert shown == [number in read for number in range(3)]
        assert unread(alice) == 3 - len(read)


def test_ids_of_others_are_ignored_beside_ones_own_and_404_alone(
    forum: Forum, alice: Person, bob: Person, ids: list[int]
) -> None:
    forum.person("carol").post("/users/bob/follow")
    [of_bob] = bob.get("/notifications").json
    for own, status, left in (([], 404, 3), (ids[:1], 200, 2)):
        sent = {"ids": [of_bob["id"], *own, 10**9]}
        assert alice.call("POST", "/notifications/read", json=sent).status_int == status
        assert (unread(alice), unread(bob)) == (left, 1)


@pytest.mark.parametrize("beyond", [2**63, -(2**63), 0])
def test_ids_that_no_database_can_hold_are_not_there_either(
    alice: Person, ids: list[int], beyond: int
) -> None:
    refused = alice.call("POST", "/notifications/read", json={"ids": [beyond]})
    assert refused.status_int == 404
    assert (
        alice.call("POST", "/notifications/read", json={"ids": [beyond, ids[0]]}).status_int == 200
    )


def test_a_get_marks_nothing_read(alice: Person, topic: int, ids: list[int]) -> None:
    before = alice.get("/notifications").json
    for path in (f"/topics/{topic}", f"/topics/{topic}/replies", "/notifications", "/hello"):
        alice.get(path)
    assert alice.get("/notifications").json == before
    assert unread(alice) == 3


def test_deleting_an_unread_one_lowers_the_count(alice: Person, ids: list[int]) -> None:
    done = alice.delete(f"/notifications/{ids[1]}")
    assert (done.status_int, done.json) == (200, {"ok": 1})
    assert [one["id"] for one in alice.get("/notifications").json] == [ids[0], ids[2]]
    assert unread(alice) == 2
    assert alice.delete(f"/notifications/{ids[1]}").status_int == 404


def test_deleting_a_read_one_does_not_lower_the_count(alice: Person, ids: list[int]) -> None:
    alice.call("POST", "/notifications/read", json={"ids": ids[:1]})
    alice.delete(f"/notifications/{ids[0]}")
    assert unread(alice) == 2


def test_deleting_all_leaves_none_of_ones_own_and_all_of_others(
    alice: Person, bob: Person, ids: list[int]
) -> None:
    alice.post("/users/bob/follow")
    alice.call("POST", "/notifications/read", json={"ids": ids[:1]})
    done = alice.delete("/notifications/all")
    assert (done.status_int, done.json) == (200, {"ok": 1})
    assert alice.get("/notifications").json == []
    assert (unread(alice), unread(bob)) == (0, 1)
    assert alice.delete("/notifications/all").status_int == 200


def all_notifications(forum: Forum, alice: Person, bob: Person) -> tuple[int, int]:
    """Create a topic and a reply that cause every type of notification; return their ids.

    Of all types but that of moderation: a moderator's word does not go with the topic.
    """
    chief, carol = forum.person("chief", role="admin"), forum.person("carol")
    node, other = forum.node("One"), forum.node("Two")
    carol.post("/users/alice/follow")
    topic = forum.topic(alice, node, body="@bob")
    carol.post(f"/topics/{topic}/follow")
    reply = forum.reply(chief, topic, "@bob")
    chief.put(f"/topics/{topic}", title="T", node_id=other, body="@bob")
    listed = [p.get("/notifications").json for p in (alice, bob, carol)]
    assert [len(one) for one in listed] == [3, 2, 2]
    assert {one["type"] for each in listed for one in each} == {*NotificationType} - {
        NotificationType.MODERATION
    }
    return topic, reply


@pytest.mark.parametrize("how", ["ban", "delete"])
def test_the_notifications_of_a_hidden_topic_and_its_replies_go(
    forum: Forum, alice: Person, bob: Person, how: str
) -> None:
    topic, _ = all_notifications(forum, alice, bob)
    chief, carol = (forum.caller(forum.token(_id(forum, login))) for login in ("chief", "carol"))
    [first, _second] = bob.get("/notifications").json
    bob.call("POST", "/notifications/read", json={"ids": [first["id"]]})
    if how == "ban":
        chief.post(f"/topics/{topic}/action?type=ban")
    else:
        chief.delete(f"/topics/{topic}")
    assert [one["type"] for one in alice.get("/notifications").json] == ["Follow"]
    assert bob.get("/notifications").json == carol.get("/notifications").json == []
    assert [p.get("/notifications/unread_count").json["count"] for p in (alice, bob, carol)] == [
        1,
        0,
        0,
    ]
    assert drift(forum.database) == []


def _id(forum: Forum, login: str) -> int:
    return int(forum.nobody.get(f"/users/{login}").json["id"])


def test_the_notifications_of_a_deleted_reply_go_and_the_others_stay(
    forum: Forum, alice: Person, bob: Person
) -> None:
    _, reply = all_notifications(forum, alice, bob)
    chief = forum.caller(forum.token(_id(forum, "chief")))
    chief.delete(f"/replies/{reply}")
    left = [one["type"] for one in alice.get("/notifications").json]
    assert left == ["NodeChanged", "Follow"]
    assert [one["mention_type"] for one in bob.get("/notifications").json] == ["Topic"]
    assert (unread(alice), unread(bob)) == (2, 1)
    assert drift(forum.database) == []


def test_notifications_do_not_come_back_with_an_unbanned_topic(
    forum: Forum, alice: Person, bob: Person
) -> None:
    topic, _ = all_notifications(forum, alice, bob)
    chief = forum.caller(forum.token(_id(forum, "chief")))
    chief.post(f"/topics/{topic}/action?type=ban")
    chief.post(f"/topics/{topic}/action?type=unban")
    assert bob.get("/notifications").json == []
    assert forum.count(Notification) == 1
    assert drift(forum.database) == []


def test_an_unbanned_topic_notifies_of_new_replies_again(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
    chief = forum.person("chief", role="admin")
    chief.post(f"/topics/{topic}/action?type=ban")
    chief.post(f"/topics/{topic}/action?type=unban")
    forum.reply(bob, topic)
    assert unread(alice) == 1
