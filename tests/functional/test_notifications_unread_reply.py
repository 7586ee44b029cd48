"""At most one unread TopicReply for each topic and follower: the first one."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.functional.forum import Forum, Person
from tests.functional.notifications import notifications_of, types
from tests.functional.recounting import drift
from tests.functional.threads import alone, statuses, together

pytestmark = pytest.mark.usefixtures("advancing_clock")


@dataclass
class Scene:
    """A topic of alice's, which carol follows, and bob, who replies to it."""

    forum: Forum
    alice: Person
    bob: Person
    carol: Person
    node: int
    topic: int


@pytest.fixture
def scene(forum: Forum) -> Scene:
    alice, bob, carol = (forum.person(login) for login in ("alice", "bob", "carol"))
    node = forum.node()
    topic = forum.topic(alice, node)
    carol.post(f"/topics/{topic}/follow")
    return Scene(forum, alice, bob, carol, node, topic)


def test_a_further_reply_makes_no_second_unread_notification(scene: Scene) -> None:
    first = scene.forum.reply(scene.bob, scene.topic)
    scene.forum.reply(scene.bob, scene.topic)
    [one] = notifications_of(scene.carol)
    assert (one["type"], one["reply"]["id"]) == ("TopicReply", first)
    assert drift(scene.forum.database) == []


def test_the_author_is_notified_about_every_reply_also_as_a_follower(scene: Scene) -> None:
    scene.alice.post(f"/topics/{scene.topic}/follow")
    written = [scene.forum.reply(scene.bob, scene.topic) for _ in range(2)]
    assert [one["reply"]["id"] for one in notifications_of(scene.alice)] == written[::-1]
    assert drift(scene.forum.database) == []


@pytest.mark.parametrize("how", ["read", "delete"])
def test_a_reply_after_the_first_was_read_or_deleted_notifies_again(scene: Scene, how: str) -> None:
    scene.forum.reply(scene.bob, scene.topic)
    [one] = notifications_of(scene.carol)
    if how == "read":
        scene.carol.post("/notifications/read", ids=one["id"])
    else:
        scene.carol.delete(f"/notifications/{one['id']}")
    second = scene.forum.reply(scene.bob, scene.topic)
    assert notifications_of(scene.carol)[0]["reply"]["id"] == second


def test_replies_to_two_topics_make_one_each(scene: Scene) -> None:
    other = scene.forum.topic(scene.alice, scene.node)
    scene.carol.post(f"/topics/{other}/follow")
    for topic in (scene.topic, other):
        scene.forum.reply(scene.bob, topic)
    assert [one["topic"]["id"] for one in notifications_of(scene.carol)] == [other, scene.topic]


def test_a_mention_is_notified_beside_an_unread_reply(scene: Scene) -> None:
    scene.forum.reply(scene.bob, scene.topic)
    scene.forum.reply(scene.bob, scene.topic, "@carol")
    assert types(scene.carol) == ["Mention", "TopicReply"]


def test_an_unread_notification_of_a_deleted_reply_moves_to_the_next_one(scene: Scene) -> None:
    scene.alice.post(f"/topics/{scene.topic}/follow")
    dave = scene.forum.person("dave")
    first, second, third = (scene.forum.reply(who, scene.topic) for who in (scene.bob, dave, dave))
    [before] = notifications_of(scene.carol)
    scene.bob.delete(f"/replies/{first}")
    [one] = notifications_of(scene.carol)
    assert (one["type"], one["reply"]["id"], one["actor"]["login"]) == (
        "TopicReply",
        second,
        "dave",
    )
    assert (one["id"], one["created_at"] > before["created_at"]) == (before["id"], True)
    assert len(notifications_of(scene.alice)) == 2
    dave.delete(f"/replies/{third}")
    assert [one["reply"]["id"] for one in notifications_of(scene.carol)] == [second]
    dave.delete(f"/replies/{second}")
    assert notifications_of(scene.carol) == []
    assert drift(scene.forum.database) == []


def test_deleting_a_reply_that_was_read_notifies_of_no_older_one(scene: Scene) -> None:
    first = scene.forum.reply(scene.bob, scene.topic)
    scene.forum.reply(scene.bob, scene.topic)
    scene.carol.post("/notifications/read", ids=notifications_of(scene.carol)[0]["id"])
    scene.bob.delete(f"/replies/{first}")
    assert notifications_of(scene.carol) == []
    third = scene.forum.reply(scene.bob, scene.topic)
    assert [one["reply"]["id"] for one in notifications_of(scene.carol)] == [third]


WHY_NOT: dict[str, Callable[[Scene], object]] = {
    "it is their own": lambda s: s.forum.reply(s.carol, s.topic),
    "it mentions them": lambda s: s.forum.reply(s.bob, s.topic, "@carol"),
    "they block its author": lambda s: (
        s.carol.post("/users/alice/block"),
        s.forum.reply(s.alice, s.topic),
    ),
    "they follow no longer": lambda s: (
        s.carol.post(f"/topics/{s.topic}/unfollow"),
        s.forum.reply(s.bob, s.topic),
    ),
    "they have followed again since": lambda s: (
        s.carol.post(f"/topics/{s.topic}/unfollow"),
        s.forum.reply(s.bob, s.topic),
        s.carol.post(f"/topics/{s.topic}/follow"),
    ),
    "it is older": lambda s: None,
}


@pytest.mark.parametrize("why", WHY_NOT)
def test_a_notification_of_a_deleted_reply_moves_only_to_a_reply_that_would_notify(
    scene: Scene, why: str
) -> None:
    older = scene.forum.reply(scene.bob, scene.topic)
    scene.carol.delete(f"/notifications/{notifications_of(scene.carol)[0]['id']}")
    first = scene.forum.reply(scene.bob, scene.topic)
    WHY_NOT[why](scene)
    scene.bob.delete(f"/replies/{first}")
    assert "TopicReply" not in types(scene.carol)
    assert scene.forum.nobody.get(f"/replies/{older}").status_int == 200
    assert drift(scene.forum.database) == []


def test_replies_at_once_make_one(scene: Scene) -> None:
    people = [scene.forum.person(f"user{number}") for number in range(6)]
    replying = [
        lambda who=person: alone(scene.forum, who).post(
            f"/topics/{scene.topic}/replies", body="At once"
        )
        for person in people
    ]
    assert statuses(together(replying)) == {201: 6}
    assert [len(notifications_of(person)) for person in (scene.alice, scene.carol)] == [6, 1]
    assert drift(scene.forum.database) == []
