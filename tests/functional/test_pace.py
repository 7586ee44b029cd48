"""How fast a person may post, and that nobody posts the same text twice."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import Reply, Topic
from tests.functional.forum import Forum, Person, content


def open_topic(who: Person, node: int, title: str = "Hello", body: str = "A text") -> Any:
    return who.post("/topics", title=title, body=body, node_id=node)


def make_older(forum: Forum, model: type[Topic] | type[Reply], **ago: float) -> None:
    """Let all posts of a kind have been written earlier."""
    with forum.database.session.begin() as db:
        db.execute(update(model).values(created_at=clock.now() - timedelta(**ago)))


def assert_too_fast(refused: Any, most: int) -> None:
    assert refused.status_int == 429, refused.json
    assert 0 < int(refused.headers["Retry-After"]) <= most


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("setting", "most", "kind", "seconds"),
    [
        ("topics_per_hour", 2, Topic, 3600),
        ("seconds_between_topics", 1, Topic, 30),
        ("replies_per_minute", 2, Reply, 60),
    ],
)
def test_a_member_posts_so_much_in_a_time(make_forum, setting, most, kind, seconds):
    limit = seconds if setting == "seconds_between_topics" else most
    forum = make_forum(**{f"posts__{setting}": str(limit)})
    alice, bob, node = forum.person("alice"), forum.person("bob"), forum.node()
    topic = forum.topic(forum.person("carol"), node)

    def post(who: Person, text: str) -> Any:
        if kind is Topic:
            return open_topic(who, node, text)
        return who.post(f"/topics/{topic}/replies", body=text)

    for number in range(most):
        assert post(alice, f"{number}").status_int == 201
    assert_too_fast(post(alice, "More"), seconds)
    assert post(bob, "Of another").status_int == 201
    make_older(forum, kind, seconds=seconds - 10)
    assert_too_fast(post(alice, "More"), 10)
    make_older(forum, kind, seconds=seconds + 1)
    assert post(alice, "More").status_int == 201


def test_a_member_who_deletes_posts_no_faster(make_forum):
    forum = make_forum(posts__topics_per_hour="3", posts__replies_per_minute="2")
    alice, node = forum.person("alice"), forum.node()
    chief = forum.person("chief", role="maintainer")
    topic = content(open_topic(alice, node, "Zero"))["id"]
    one, two = (content(open_topic(alice, node, title))["id"] for title in ("One", "Two"))
    assert alice.delete(f"/topics/{one}").status_int == 200
    assert chief.post(f"/topics/{two}/action", type="ban").status_int == 200
    assert_too_fast(open_topic(alice, node, "Three"), 3600)
    for body in ("One", "Two"):
        reply = content(alice.post(f"/topics/{topic}/replies", body=body))["id"]
        assert alice.delete(f"/replies/{reply}").status_int == 200
    assert_too_fast(alice.post(f"/topics/{topic}/replies", body="Three"), 60)
    make_older(forum, Topic, minutes=61)
    assert open_topic(alice, node, "Three").status_int == 201


def test_a_member_who_withdraws_held_posts_posts_no_faster(make_forum):
    forum = make_forum(posts__topics_per_hour="2", posts__hold_first="1")
    alice, node = forum.person("alice"), forum.node()
    for title in ("One", "Two"):
        held = open_topic(alice, node, title).json["held"]["id"]
        assert alice.delete(f"/held/{held}").status_int == 200
    assert_too_fast(open_topic(alice, node, "Three"), 3600)


@pytest.mark.parametrize("role", ["vip", "maintainer", "admin"])
def test_other_roles_post_as_fast_as_they_like(make_forum, role):
    forum = make_forum(posts__topics_per_hour="1", posts__seconds_between_topics="30")
    person, node = forum.person("person", role=role), forum.node()
    for title in ("One", "Two"):
        assert open_topic(person, node, title).status_int == 201


def test_the_limit_is_of_the_person_not_of_the_application(make_forum):
    forum = make_forum(posts__topics_per_hour="1")
    alice, node = forum.person("alice"), forum.node()
    assert open_topic(alice, node, "One").status_int == 201
    other = forum.caller(forum.token(alice.id))
    assert other.post("/topics", title="Two", body="x", node_id=node).status_int == 429


def test_the_same_text_again_is_refused_for_a_while(make_forum):
    forum = make_forum(posts__duplicate_minutes="10")
    alice, node = forum.person("alice", role="admin"), forum.node()
    topic = content(open_topic(alice, node))["id"]
    refused = open_topic(alice, node)
    assert (refused.status_int, refused.json["error"]) == (400, "body: is what you wrote before")
    other = content(open_topic(alice, node, "Another title"))["id"]
    path = f"/topics/{topic}/replies"
    assert alice.post(path, body="Yes").status_int == 201
    assert alice.post(path, body="Yes").status_int == 400
    assert alice.post(f"/topics/{other}/replies", body="Yes").status_int == 201
    assert forum.person("bob").post(path, body="Yes").status_int == 201
    make_older(forum, Reply, minutes=11)
    make_older(forum, Topic, minutes=11)
    assert alice.post(path, body="Yes").status_int == 201
    assert open_topic(alice, node).status_int == 201


@pytest.mark.both_databases
def test_a_retried_creation_is_no_repeated_text(make_forum):
    forum = make_forum(posts__duplicate_minutes="10")
    alice, node = forum.person("alice"), forum.node()
    sent = {"title": "Hello", "body": "A text", "node_id": node}
    answers = [
        alice.call("POST", "/topics", sent, headers={"Idempotency-Key": '"one"'}) for _ in range(2)
    ]
    assert [one.status_int for one in answers] == [201, 201]
    assert answers[0].json["id"] == answers[1].json["id"]
