"""Likes of topics and replies."""

import pytest

from tests.functional.forum import Forum, Person
from tests.functional.recounting import drift

KINDS = ["topic", "reply"]


@pytest.fixture
def people(forum: Forum) -> tuple[Person, Person]:
    return forum.person("alice"), forum.person("bob")


def likeable(forum: Forum, author: Person, kind: str) -> dict[str, object]:
    """Create a topic or reply and return the parameters of its like."""
    topic = forum.topic(author, forum.node())
    made = topic if kind == "topic" else forum.reply(author, topic)
    return {"obj_type": kind, "obj_id": made}


def likes_count(caller: Person, liked: dict[str, object]) -> int:
    """Return the likes that a topic or reply shows."""
    path = {"topic": "topics", "reply": "replies"}[str(liked["obj_type"])]
    return int(caller.get(f"/{path}/{liked['obj_id']}").json["likes_count"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_like_answers_200_with_the_count(
    forum: Forum, people: tuple[Person, Person], kind: str
) -> None:
    alice, bob = people
    liked = likeable(forum, alice, kind)
    first = bob.post("/likes", **liked)
    assert (first.status_int, first.json) == (200, {"count": 1})
    second = alice.post("/likes", **liked)
    assert (second.status_int, second.json) == (200, {"count": 2})
    assert likes_count(bob, liked) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_like_taken_back_answers_200_with_the_count(
    forum: Forum, people: tuple[Person, Person], kind: str
) -> None:
    alice, bob = people
    liked = likeable(forum, alice, kind)
    bob.post("/likes", **liked)
    alice.post("/likes", **liked)
    taken = bob.delete("/likes", **liked)
    assert (taken.status_int, taken.json) == (200, {"count": 1})
    assert likes_count(bob, liked) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_like_of_one_user_changes_nothing(
    forum: Forum, people: tuple[Person, Person], kind: str
) -> None:
    alice, bob = people
    liked = likeable(forum, alice, kind)
    answers = [bob.post("/likes", **liked) for _ in range(2)]
    assert [(a.status_int, a.json) for a in answers] == [(200, {"count": 1})] * 2
    assert likes_count(bob, liked) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_taking_back_a_like_that_is_not_there_changes_nothing(
    forum: Forum, people: tuple[Person, Person], kind: str
) -> None:
    alice, bob = people
    liked = likeable(forum, alice, kind)
    alice.post("/likes", **liked)
    taken = bob.delete("/likes", **liked)
    assert (taken.status_int, taken.json) == (200, {"count": 1})
    assert drift(forum.database) == []


def test_a_like_may_be_taken_back_with_parameters_in_the_query(
    forum: Forum, people: tuple[Person, Person]
) -> None:
    alice, bob = people
    liked = likeable(forum, alice, "topic")
    bob.post("/likes", **liked)
    gone = bob.delete(f"/likes?obj_type=topic&obj_id={liked['obj_id']}")
    assert gone.json == {"count": 0}


def test_likes_of_a_topic_and_of_a_reply_with_the_same_id_are_apart(
    forum: Forum, people: tuple[Person, Person]
) -> None:
    alice, bob = people
    topic = forum.topic(alice, forum.node())
    reply = forum.reply(alice, topic)
    bob.post("/likes", obj_type="topic", obj_id=topic)
    assert likes_count(bob, {"obj_type": "reply", "obj_id": reply}) == 0
    assert likes_count(bob, {"obj_type": "topic", "obj_id": topic}) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_lists_show_the_likes(forum: Forum, people: tuple[Person, Person], kind: str) -> None:
    alice, bob = people
    liked = likeable(forum, alice, kind)
    bob.post("/likes", **liked)
    [topic] = bob.get("/topics").json
    path = "/topics" if kind == "topic" else f"/topics/{topic['id']}/replies"
    assert [item["likes_count"] for item in bob.get(path).json] == [1]


def test_likes_come_back_with_an_unbanned_topic(
    forum: Forum, people: tuple[Person, Person]
) -> None:
    alice, bob = people
    chief = forum.person("chief", role="admin")
    liked = likeable(forum, alice, "topic")
    bob.post("/likes", **liked)
    chief.post(f"/topics/{liked['obj_id']}/action?type=ban")
    chief.post(f"/topics/{liked['obj_id']}/action?type=unban")
    assert likes_count(bob, liked) == 1


def test_a_like_notifies_nobody(forum: Forum, people: tuple[Person, Person]) -> None:
    alice, bob = people
    bob.post("/likes", **likeable(forum, alice, "topic"))
    assert alice.get("/notifications").json == []
