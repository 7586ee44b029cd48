"""GET /users/me/likes: the ids of what the caller likes."""

from dataclasses import dataclass
from itertools import chain

import pytest

from tests.cases import each
from tests.functional.forum import Forum, Person


@dataclass
class Scene:
    """Two topics of alice's with two replies each; bob likes them all, in the given order."""

    forum: Forum
    alice: Person
    bob: Person
    topics: list[int]
    replies: list[list[int]]

    def liked(self, **asked: object) -> list[int]:
        """Return the ids that bob gets."""
        answer = self.bob.get("/users/me/likes", **asked)
        assert answer.status_int == 200, answer.text
        found: list[int] = answer.json
        return found


@pytest.fixture
def scene(forum: Forum) -> Scene:
    alice, bob, node = forum.person("alice"), forum.person("bob"), forum.node()
    topics = [forum.topic(alice, node) for _ in range(2)]
    replies = [[forum.reply(alice, topic) for _ in range(2)] for topic in topics]
    for topic in topics:
        bob.post("/likes", obj_type="topic", obj_id=topic)
    for reply in chain(*replies):
        bob.post("/likes", obj_type="reply", obj_id=reply)
    return Scene(forum, alice, bob, topics, replies)


def test_the_newest_that_is_liked_comes_first(scene: Scene) -> None:
    assert scene.liked(obj_type="topic") == scene.topics[::-1]
    assert scene.liked(obj_type="reply") == [*chain(*scene.replies)][::-1]
    scene.bob.delete("/likes", obj_type="topic", obj_id=scene.topics[1])
    assert scene.liked(obj_type="topic") == scene.topics[:1]
    assert scene.alice.get("/users/me/likes", obj_type="topic").json == []


def test_topic_id_leaves_what_is_in_that_topic(scene: Scene) -> None:
    [_, topic], [_, replies] = scene.topics, scene.replies
    assert scene.liked(obj_type="reply", topic_id=topic) == replies[::-1]
    assert scene.liked(obj_type="topic", topic_id=topic) == [topic]
    assert scene.liked(obj_type="reply", topic_id="") == [*chain(*scene.replies)][::-1]


def test_it_is_cut_by_offset_and_limit(scene: Scene) -> None:
    whole = scene.liked(obj_type="reply")
    assert scene.liked(obj_type="reply", offset=1, limit=2) == whole[1:3]
    answer = scene.bob.get("/users/me/likes", obj_type="reply", limit=151)
    assert answer.status_int == 400
    assert answer.json["error"] == "limit: must be an integer from 1 to 150, not '151'"


def test_what_not_everybody_sees_is_left_out(scene: Scene) -> None:
    admin = scene.forum.person("root", role="admin")
    [banned, topic], [_, [gone, left]] = scene.topics, scene.replies
    admin.post(f"/topics/{banned}/action?type=ban")
    scene.alice.delete(f"/replies/{gone}")
    assert scene.liked(obj_type="topic") == [topic]
    assert scene.liked(obj_type="reply") == [left]


def test_a_topic_that_the_caller_does_not_see_is_404_naming_it(scene: Scene) -> None:
    scene.alice.delete(f"/topics/{scene.topics[0]}")
    for topic in (scene.topics[0], 0, 10**30):
        answer = scene.bob.get("/users/me/likes", obj_type="reply", topic_id=topic)
        assert answer.status_int == 404
        assert answer.json["error"].startswith("topic_id: there is no such topic")
    answer = scene.bob.get("/users/me/likes", obj_type="reply", topic_id=scene.topics[1], offset=9)
    assert (answer.status_int, answer.json) == (200, [])


@each(
    ("sent", "error"),
    [
        ({}, "obj_type: is required"),
        ({"obj_type": "node"}, "obj_type: must be one of topic, reply, not 'node'"),
        ({"obj_type": "reply", "topic_id": "x"}, "topic_id: must be an integer, not 'x'"),
    ],
)
def test_a_wrong_parameter_is_400_naming_it(
    scene: Scene, sent: dict[str, object], error: str
) -> None:
    answer = scene.bob.get("/users/me/likes", **sent)
    assert (answer.status_int, answer.json) == (400, {"error": error})
