"""The lists of topics: their orders, ties and paging."""

from typing import Any

import pytest

from tests.cases import each
from tests.functional.forum import Caller, Forum, Person

KINDS = ["last_actived", "recent", "no_reply", "popular", "excellent"]


def ids(caller: Caller, path: str, **params: Any) -> list[int]:
    """Return the ids of the topics listed at a path."""
    listed = caller.get(path, **params)
    assert listed.status_int == 200
    return [item["id"] for item in listed.json]


class Scene:
    """Four topics, the newest last, which differ in everything that an order looks at."""

    def __init__(self, forum: Forum) -> None:
        self.forum = forum
        self.alice, self.bob = forum.person("alice"), forum.person("bob")
        self.chief = forum.person("chief", role="maintainer")
        self.node, self.other = forum.node("One"), forum.node("Two")
        self.a, self.b, self.c, self.d = (
            forum.topic(self.alice, node, title=title)
            for title, node in zip(
                "ABCD", (self.node, self.other, self.node, self.other), strict=True
            )
        )

    def like(self, topic: int, *people: Person) -> None:
        """Like a topic as several users."""
        for person in people:
            person.post("/likes", obj_type="topic", obj_id=topic)


@pytest.fixture
def scene(forum: Forum, advancing_clock: object) -> Scene:
    return Scene(forum)


def test_last_actived_is_by_last_reply_or_else_by_creation(scene: Scene) -> None:
    scene.forum.reply(scene.bob, scene.b)
    e = scene.forum.topic(scene.alice, scene.node, title="E")
    scene.forum.reply(scene.bob, scene.a)
    expected = [scene.a, e, scene.b, scene.d, scene.c]
    assert ids(scene.bob, "/topics?type=last_actived") == expected
    assert ids(scene.bob, "/topics") == expected


def test_recent_is_by_creation_alone(scene: Scene) -> None:
    scene.forum.reply(scene.bob, scene.a)
    scene.like(scene.b, scene.bob)
    assert ids(scene.bob, "/topics?type=recent") == [scene.d, scene.c, scene.b, scene.a]


def test_no_reply_is_those_without_replies_newest_first(scene: Scene) -> None:
    scene.forum.reply(scene.bob, scene.c)
    gone = scene.forum.reply(scene.bob, scene.a)
    scene.bob.delete(f"/replies/{gone}")
    assert ids(scene.bob, "/topics?type=no_reply") == [scene.d, scene.b, scene.a]


def test_popular_is_by_likes_then_replies_then_newest(scene: Scene) -> None:
    scene.like(scene.a, scene.bob, scene.alice)
    scene.like(scene.b, scene.bob)
    scene.forum.reply(scene.bob, scene.c)
    assert ids(scene.bob, "/topics?type=popular") == [scene.a, scene.b, scene.c, scene.d]
    scene.like(scene.d, scene.bob)
    assert ids(scene.bob, "/topics?type=popular") == [scene.a, scene.d, scene.b, scene.c]


def test_excellent_is_the_featured_ones_newest_first(scene: Scene) -> None:
    for topic in (scene.d, scene.a):
        scene.chief.post(f"/topics/{topic}/action?type=excellent")
    assert ids(scene.bob, "/topics?type=excellent") == [scene.d, scene.a]


@each("kind", KINDS)
def test_node_id_leaves_the_topics_of_that_node_in_the_same_order(scene: Scene, kind: str) -> None:
    for topic in (scene.a, scene.b, scene.c, scene.d):
        scene.chief.post(f"/topics/{topic}/action?type=excellent")
    scene.like(scene.a, scene.bob)
    in_node = {scene.a, scene.c}
    everywhere = ids(scene.bob, "/topics", type=kind)
    assert len(everywhere) == 4
    here = ids(scene.bob, "/topics", type=kind, node_id=scene.node)
    assert here == [topic for topic in everywhere if topic in in_node]


@pytest.mark.usefixtures("frozen_clock")
@pytest.mark.parametrize("kind", KINDS)
def test_ties_are_broken_by_the_newer_topic(forum: Forum, kind: str) -> None:
    scene = Scene(forum)
    for topic in (scene.b, scene.a, scene.d, scene.c):
        scene.chief.post(f"/topics/{topic}/action?type=excellent")
    assert ids(scene.bob, "/topics", type=kind) == [scene.d, scene.c, scene.b, scene.a]


def test_a_users_topics_are_listed_newest_first(scene: Scene) -> None:
    scene.forum.topic(scene.bob, scene.node)
    scene.forum.reply(scene.bob, scene.a)
    expected = [scene.d, scene.c, scene.b, scene.a]
    for path in ("/users/alice/topics", "/users/alice/topics?order=recent"):
        assert ids(scene.bob, path) == expected


def test_a_users_topics_by_likes_have_the_newer_one_first_among_equals(scene: Scene) -> None:
    scene.like(scene.b, scene.bob, scene.alice)
    scene.like(scene.a, scene.bob)
    expected = [scene.b, scene.a, scene.d, scene.c]
    assert ids(scene.bob, "/users/alice/topics?order=likes") == expected


def test_a_users_topics_by_replies_have_the_newer_one_first_among_equals(scene: Scene) -> None:
    for topic in (scene.c, scene.c, scene.a):
        scene.forum.reply(scene.bob, topic)
    expected = [scene.c, scene.a, scene.d, scene.b]
    assert ids(scene.bob, "/users/alice/topics?order=replies") == expected


def test_favorites_are_listed_latest_first(scene: Scene) -> None:
    for topic in (scene.c, scene.a, scene.d):
        scene.bob.post(f"/topics/{topic}/favorite")
    assert ids(scene.alice, "/users/bob/favorites") == [scene.d, scene.a, scene.c]
    scene.bob.post(f"/topics/{scene.c}/unfavorite")
    scene.bob.post(f"/topics/{scene.c}/favorite")
    assert ids(scene.alice, "/users/bob/favorites") == [scene.c, scene.d, scene.a]
