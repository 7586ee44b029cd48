"""Mentions: what is one, precedence over other types, and edits."""

from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.functional.notifications import notifications_of


def edit(author: Person, topic: int, node: int, body: str) -> None:
    """Edit the text of a topic."""
    assert author.put(f"/topics/{topic}", title="T", node_id=node, body=body).status_int == 200


def test_a_mention_in_a_topic_shows_the_topic(
    forum: Forum, alice: Person, bob: Person, node: int
) -> None:
    topic = forum.topic(alice, node, body="Hello @bob")
    [one] = notifications_of(bob)
    assert (one["type"], one["mention_type"]) == ("Mention", "Topic")
    assert one["actor"]["login"] == "alice"
    assert one["mention"] == one["topic"] == forum.nobody.get("/topics").json[0]
    assert one["mention"]["id"] == topic
    assert (one["reply"], one["node"]) == (None, None)


def test_a_mention_in_a_reply_shows_the_reply_and_its_topic(
    forum: Forum, topic: int, alice: Person, bob: Person
) -> None:
    reply = forum.reply(alice, topic, "Hello @bob")
    [one] = notifications_of(bob)
    assert (one["type"], one["mention_type"]) == ("Mention", "Reply")
    assert one["mention"] == forum.nobody.get(f"/topics/{topic}/replies").json[0]
    assert one["mention"]["id"] == reply
    assert one["topic"] == forum.nobody.get("/topics").json[0]
    assert (one["reply"], one["node"]) == (None, None)


def test_a_quotation_notifies_nobody_until_the_mention_stands_outside(
    forum: Forum, topic: int, alice: Person, bob: Person
) -> None:
    reply = forum.reply(alice, topic, "> Hello @bob")
    shown = forum.nobody.get(f"/replies/{reply}").json["body_html"]
    assert 'class="user-mention">@bob</a>' in shown
    assert notifications_of(bob) == []
    alice.post(f"/replies/{reply}", body="> Hello @bob\n\n@bob, see there")
    assert [one["type"] for one in notifications_of(bob)] == ["Mention"]


def test_at_most_max_mentions_users_are_notified_the_first_in_the_text(
    make_forum: MakeForum,
) -> None:
    forum = make_forum(notifications__max_mentions="2")
    alice, node = forum.person("alice"), forum.node()
    people = [forum.person(login) for login in ("bob", "carol", "dave")]
    forum.topic(alice, node, body="@carol @dave @bob")
    assert [len(notifications_of(person)) for person in people] == [0, 1, 1]


def test_twenty_users_are_notified_where_nothing_else_is_set(
    forum: Forum, alice: Person, node: int
) -> None:
    people = [forum.person(f"user{n:02}") for n in range(22)]
    forum.topic(alice, node, body=" ".join(f"@{person.login}" for person in people))
    assert [len(notifications_of(person)) for person in people] == [1] * 20 + [0] * 2


def test_an_edit_does_not_notify_of_mentions_beyond_the_former_limit(make_forum: MakeForum) -> None:
    forum = make_forum(notifications__max_mentions="1")
    alice, node, bob = forum.person("alice"), forum.node(), forum.person("bob")
    forum.person("carol")
    topic = forum.topic(alice, node, body="@carol @bob")
    edit(alice, topic, node, "@bob")
    assert notifications_of(bob) == []


def test_edits_do_not_notify_more_users_than_one_text_may(make_forum: MakeForum) -> None:
    forum = make_forum(notifications__max_mentions="2")
    alice, node = forum.person("alice"), forum.node()
    people = [forum.person(login) for login in ("bob", "carol", "dave")]
    topic = forum.topic(alice, node)
    reply = forum.reply(alice, topic)
    for person in people:
        for body in (f"@{person.login}", "nobody"):
            edit(alice, topic, node, body)
            alice.post(f"/replies/{reply}", body=body)
    assert [len(notifications_of(person)) for person in people] == [2, 2, 0]


def test_the_one_who_edits_is_the_actor(
    forum: Forum, alice: Person, bob: Person, node: int
) -> None:
    chief = forum.person("chief", role="admin")
    topic = forum.topic(alice, node)
    edit(chief, topic, node, "@bob")
    assert notifications_of(bob)[0]["actor"]["login"] == "chief"
