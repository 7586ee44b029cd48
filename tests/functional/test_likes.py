"""Likes of topics and replies."""

from typing import Any

import pytest

from tests.functional.forum import Caller, Forum, Person
from tests.functional.recounting import drift

Liked = dict[str, Any]


@pytest.fixture(params=["topic", "reply"])
def liked(request: pytest.FixtureRequest, forum: Forum, alice: Person, topic: int) -> Liked:
    """The parameters of a like of a topic or reply of Alice's."""
    is_topic = request.param == "topic"
    return {"obj_type": request.param, "obj_id": topic if is_topic else forum.reply(alice, topic)}


def likes_count(caller: Caller, liked: Liked) -> int:
    """Return the likes that a topic or reply shows."""
    path = {"topic": "topics", "reply": "replies"}[liked["obj_type"]]
    return int(caller.get(f"/{path}/{liked['obj_id']}").json["likes_count"])


def test_a_like_answers_200_with_the_count(alice: Person, bob: Person, liked: Liked) -> None:
    first = bob.post("/likes", **liked)
    assert (first.status_int, first.json) == (200, {"count": 1})
    second = alice.post("/likes", **liked)
    assert (second.status_int, second.json) == (200, {"count": 2})
    assert likes_count(bob, liked) == 2


def test_a_like_taken_back_answers_200_with_the_count(
    alice: Person, bob: Person, liked: Liked
) -> None:
    bob.post("/likes", **liked)
    alice.post("/likes", **liked)
    taken = bob.delete("/likes", **liked)
    assert (taken.status_int, taken.json) == (200, {"count": 1})
    assert likes_count(bob, liked) == 1


def test_the_second_like_of_one_user_changes_nothing(bob: Person, liked: Liked) -> None:
    answers = [bob.post("/likes", **liked) for _ in range(2)]
    assert [(a.status_int, a.json) for a in answers] == [(200, {"count": 1})] * 2
    assert likes_count(bob, liked) == 1


def test_taking_back_a_like_that_is_not_there_changes_nothing(
    forum: Forum, alice: Person, bob: Person, liked: Liked
) -> None:
    alice.post("/likes", **liked)
    taken = bob.delete("/likes", **liked)
    assert (taken.status_int, taken.json) == (200, {"count": 1})
    assert drift(forum.database) == []


def test_a_like_may_be_taken_back_with_parameters_in_the_query(bob: Person, topic: int) -> None:
    bob.post("/likes", obj_type="topic", obj_id=topic)
    gone = bob.delete(f"/likes?obj_type=topic&obj_id={topic}")
    assert gone.json == {"count": 0}


def test_likes_of_a_topic_and_of_a_reply_with_the_same_id_are_apart(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
    reply = forum.reply(alice, topic)
    bob.post("/likes", obj_type="topic", obj_id=topic)
    assert likes_count(bob, {"obj_type": "reply", "obj_id": reply}) == 0
    assert likes_count(bob, {"obj_type": "topic", "obj_id": topic}) == 1


def test_lists_show_the_likes(bob: Person, topic: int, liked: Liked) -> None:
    bob.post("/likes", **liked)
    path = "/topics" if liked["obj_type"] == "topic" else f"/topics/{topic}/replies"
    assert [item["likes_count"] for item in bob.get(path).json] == [1]


def test_likes_come_back_with_an_unbanned_topic(forum: Forum, bob: Person, topic: int) -> None:
    chief = forum.person("chief", role="admin")
    liked = {"obj_type": "topic", "obj_id": topic}
    bob.post("/likes", **liked)
    chief.post(f"/topics/{topic}/action?type=ban")
    chief.post(f"/topics/{topic}/action?type=unban")
    assert likes_count(bob, liked) == 1


def test_a_like_notifies_nobody(alice: Person, bob: Person, topic: int) -> None:
    bob.post("/likes", obj_type="topic", obj_id=topic)
    assert alice.get("/notifications").json == []
