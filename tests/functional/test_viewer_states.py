"""`include=state`: the viewer state, in both envelopes."""

from typing import Any

import pytest

from tests.functional.conftest import MakeForum
from tests.functional.forum import Caller, Forum, content

TOPIC = {"followed": False, "liked": False, "favorited": False}
USER = {"followed": False, "blocked": False}
REPLY = {"liked": False}

LISTS = {
    "/topics": TOPIC,
    "/users/alice/topics": TOPIC,
    "/users/bob/favorites": TOPIC,
    "/topics/{topic}/replies": REPLY,
    "/users/alice/replies": REPLY,
    "/users": USER,
    "/users/bob/following": USER,
    "/users/alice/followers": USER,
}
ITEMS = {"/topics/{topic}": TOPIC, "/replies/{reply}": REPLY, "/users/alice": USER}


@pytest.fixture(params=["bare", "keyed"])
def forum(request: pytest.FixtureRequest, make_forum: MakeForum) -> Forum:
    """An empty forum with either envelope."""
    return make_forum(api__envelope=request.param)


class Scene:
    """Two topics with a reply each, all alice's; bob follows her, and both are his favorites."""

    def __init__(self, forum: Forum) -> None:
        self.alice, self.bob, node = forum.person("alice"), forum.person("bob"), forum.node()
        self.topics = [forum.topic(self.alice, node) for _ in range(2)]
        self.replies = [forum.reply(self.alice, topic) for topic in self.topics]
        assert self.bob.post("/users/alice/follow").json == {"ok": 1}
        for topic in self.topics:
            self.bob.post(f"/topics/{topic}/favorite")

    def path(self, template: str) -> str:
        """Return a path of the tables above."""
        return template.format(topic=self.topics[0], reply=self.replies[0])


def states(caller: Caller, path: str) -> dict[int, Any]:
    """Return the states of a list by id."""
    return {one["id"]: one["state"] for one in content(caller.get(path, include="state"))}


@pytest.fixture
def scene(forum: Forum) -> Scene:
    return Scene(forum)


def test_a_topics_state_is_what_the_caller_did_to_it(scene: Scene) -> None:
    first, second = scene.topics
    scene.bob.post(f"/topics/{first}/unfavorite")
    scene.bob.post(f"/topics/{first}/follow")
    scene.bob.post("/likes", obj_type="topic", obj_id=second)
    expected = {
        first: {"followed": True, "liked": False, "favorited": False},
        second: {"followed": False, "liked": True, "favorited": True},
    }
    assert states(scene.bob, "/topics") == states(scene.bob, "/users/alice/topics") == expected
    for topic in scene.topics:
        shown = content(scene.bob.get(f"/topics/{topic}", include="state"))
        assert shown["state"] == expected[topic]
    assert states(scene.alice, "/topics") == dict.fromkeys(scene.topics, TOPIC)


def test_a_replys_state_is_whether_the_caller_likes_it(scene: Scene) -> None:
    first, second = scene.replies
    scene.bob.post("/likes", obj_type="reply", obj_id=second)
    assert states(scene.bob, "/users/alice/replies") == {
        second: {"liked": True},
        first: {"liked": False},
    }
    path = f"/topics/{scene.topics[1]}/replies"
    assert states(scene.bob, path) == {second: {"liked": True}}
    assert states(scene.alice, path) == {second: {"liked": False}}
    assert content(scene.bob.get(f"/replies/{second}", include="state"))["state"]["liked"]


def test_a_users_state_is_whether_the_caller_follows_or_blocks_them(scene: Scene) -> None:
    alice, bob = scene.alice, scene.bob
    alice.post("/users/bob/block")
    assert states(alice, "/users") == {bob.id: {**USER, "blocked": True}, alice.id: USER}
    assert states(alice, "/users/alice/followers") == {bob.id: {**USER, "blocked": True}}
    assert states(alice, "/users/me/blocked") == {bob.id: {**USER, "blocked": True}}
    assert states(bob, "/users/me/following") == {alice.id: {**USER, "followed": True}}
    shown = content(bob.get("/users/alice", include="state"))
    assert shown["state"] == {**USER, "followed": True}
    assert content(bob.get("/users/me", include="state"))["state"] == USER


def test_without_a_user_every_state_is_false(forum: Forum, scene: Scene) -> None:
    for caller in (forum.nobody, forum.caller(forum.token(None))):
        for template, expected in LISTS.items():
            found = states(caller, scene.path(template))
            assert found, template
            assert all(state == expected for state in found.values()), template
        for template, expected in ITEMS.items():
            shown = content(caller.get(scene.path(template), include="state"))
            assert shown["state"] == expected, template


def test_without_it_nothing_is_added(scene: Scene) -> None:
    for template in LISTS:
        for asked in ({}, {"include": ""}):
            answer = scene.bob.get(scene.path(template), **asked)
            assert not any("state" in one for one in content(answer)), template
    for template in ITEMS:
        assert "state" not in content(scene.bob.get(scene.path(template)))


def test_another_word_is_400_naming_include(scene: Scene) -> None:
    for template in [*LISTS, *ITEMS, "/users/me", "/users/me/blocked"]:
        answer = scene.bob.get(scene.path(template), include="replies")
        assert answer.status_int == 400, template
        message = answer.json.get("message", answer.json["error"])
        assert message == "include: must be one of state, not 'replies'"


def test_what_is_created_or_edited_carries_none(scene: Scene) -> None:
    answer = scene.alice.post(f"/replies/{scene.replies[0]}?include=state", body="New")
    assert answer.status_int == 200
    assert "state" not in content(answer)
