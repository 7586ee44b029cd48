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
def test_a_notification_of_a_deleted_reply_moves_only_to_a_reply_that_would_notify(scene, why):
    older = scene.forum.reply(scene.bob, scene.topic)
    scene.carol.delete(f"/notifications/{notifications_of(scene.carol)[0]['id']}")
    first = scene.forum.reply(scene.bob, scene.topic)
    WHY_NOT[why](scene)
    scene.bob.delete(f"/replies/{first}")
    assert "TopicReply" not in types(scene.carol)
    assert scene.forum.nobody.get(f"/replies/{older}").status_int == 200
    assert drift(scene.forum.database) == []


def test_replies_at_once_make_one(scene):
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
