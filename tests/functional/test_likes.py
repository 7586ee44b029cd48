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


def test_liking_and_taking_back_count_each_user_once(
    forum: Forum, alice: Person, bob: Person, liked: Liked
) -> None:
    steps = [
        *((bob, "POST", 1), (bob, "POST", 1), (alice, "POST", 2)),
        *((bob, "DELETE", 1), (bob, "DELETE", 1), (alice, "DELETE", 0)),
    ]
    for person, method, count in steps:
        answer = person.call(method, "/likes", liked)
        assert (answer.status_int, answer.json) == (200, {"count": count})
        assert likes_count(bob, liked) == count
    assert drift(forum.database) == []


def test_likes_of_a_topic_and_of_a_reply_with_the_same_id_are_apart(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
    reply = forum.reply(alice, topic)
    bob.post("/likes", obj_type="topic", obj_id=topic)
    assert likes_count(bob, {"obj_type": "reply", "obj_id": reply}) == 0
    assert likes_count(bob, {"obj_type": "topic", "obj_id": topic}) == 1


def test_a_like_notifies_nobody(alice: Person, bob: Person, topic: int) -> None:
    bob.post("/likes", obj_type="topic", obj_id=topic)
    assert alice.get("/notifications").json == []
