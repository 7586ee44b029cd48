"""How often a topic was read."""

import pytest

from tests.functional.forum import Caller, Forum, Person
from tests.functional.threads import together


@pytest.fixture
def alice(forum: Forum) -> Person:
    return forum.person("alice")


@pytest.fixture
def topic(forum: Forum, alice: Person) -> int:
    return forum.topic(alice, forum.node())


def hits(caller: Caller, topic: int) -> int:
    """Read a topic and return its hits, that read among them."""
    return int(caller.get(f"/topics/{topic}").json["hits"])


def test_each_read_of_a_topic_is_one_hit(forum: Forum, alice: Person, topic: int) -> None:
    assert [hits(caller, topic) for caller in (forum.nobody, alice, forum.nobody)] == [1, 2, 3]


def test_hits_are_exact_before_while_and_after_they_are_written(forum: Forum, topic: int) -> None:
    assert hits(forum.nobody, topic) == 1
    forum.registry.hits.write()
    assert hits(forum.nobody, topic) == 2
    forum.registry.hits.write()
    forum.registry.hits.write()
    assert hits(forum.nobody, topic) == 3


def test_hits_are_written_once_though_many_write_at_once(forum: Forum, topic: int) -> None:
    for _ in range(5):
        hits(forum.nobody, topic)
    together([forum.registry.hits.write] * 8)
    assert hits(forum.nobody, topic) == 6


def test_hits_of_two_topics_are_apart(forum: Forum, alice: Person, topic: int) -> None:
    other = forum.topic(alice, forum.node("Other"))
    for _ in range(3):
        hits(alice, topic)
    assert hits(alice, other) == 1
    forum.registry.hits.write()
    assert (hits(alice, topic), hits(alice, other)) == (4, 2)


def test_nothing_but_reading_the_topic_is_a_hit(forum: Forum, alice: Person, topic: int) -> None:
    node = alice.get("/topics").json[0]["node_id"]
    alice.get(f"/topics/{topic}/replies")
    alice.call("HEAD", f"/topics/{topic}")
    alice.put(f"/topics/{topic}", title="T", node_id=node, body="New")
    alice.post(f"/topics/{topic}/replies", body="B")
    alice.get("/users/alice/topics")
    assert hits(alice, topic) == 1


def test_a_read_that_is_refused_is_no_hit(forum: Forum, alice: Person, topic: int) -> None:
    chief = forum.person("chief", role="admin")
    chief.post(f"/topics/{topic}/action?type=ban")
    assert forum.nobody.get(f"/topics/{topic}").status_int == 404
    assert forum.caller("wrong").get(f"/topics/{topic}").status_int == 401
    assert hits(alice, topic) == 1


def test_writing_hits_changes_nothing_else_of_a_topic(
    forum: Forum, alice: Person, topic: int
) -> None:
    newer = forum.topic(alice, forum.node("Other"))
    listed = alice.get("/topics").json
    hits(alice, topic)
    forum.registry.hits.write()
    assert alice.get("/topics").json == listed
    assert [one["id"] for one in listed] == [newer, topic]
