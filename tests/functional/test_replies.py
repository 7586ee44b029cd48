"""Replies: creating, reading, editing and deleting; tombstones and the last reply."""

import pytest
from sqlalchemy import update

from forumsvc.models import Reply
from tests.functional.forum import Forum, Person
from tests.functional.recounting import drift

pytestmark = pytest.mark.usefixtures("advancing_clock")


@pytest.fixture
def topic(forum: Forum, alice: Person) -> int:
    return forum.topic(alice, forum.node(), title="The title")


def test_a_created_reply_is_answered_with_201_and_its_location(
    forum: Forum, bob: Person, topic: int
) -> None:
    made = bob.post(f"/topics/{topic}/replies", body="B")
    assert made.status_int == 201
    assert made.headers["Location"] == f"http://localhost/api/v3/replies/{made.json['id']}"
    assert forum.app.get(made.headers["Location"]).json["body"] == "B"


def test_a_created_reply_is_shown_in_full(bob: Person, topic: int) -> None:
    made = bob.post(f"/topics/{topic}/replies", body="Some *text*").json
    assert made["abilities"] == {"update": True, "destroy": True, "report": False}
    expected = {
        "body": "Some *text*",
        "body_html": "<p>Some <em>text</em></p>",
        "topic_id": topic,
        "topic_title": "The title",
        "deleted": False,
        "likes_count": 0,
        "updated_at": made["created_at"],
    }
    assert {key: made[key] for key in expected} == expected
    assert made["user"]["login"] == "bob"


def test_a_new_reply_is_counted_and_is_the_topics_last(
    alice: Person, bob: Person, topic: int
) -> None:
    made = bob.post(f"/topics/{topic}/replies", body="B").json
    shown = alice.get(f"/topics/{topic}").json
    assert (shown["replies_count"], shown["replied_at"]) == (1, made["created_at"])
    assert (shown["last_reply_user_id"], shown["last_reply_user_login"]) == (bob.id, "bob")
    assert bob.get("/users/me").json["replies_count"] == 1
    assert alice.get("/users/me").json["replies_count"] == 0


def test_an_edited_reply_is_answered_in_full(bob: Person, topic: int) -> None:
    made = bob.post(f"/topics/{topic}/replies", body="Old").json
    edited = bob.post(f"/replies/{made['id']}", body="**New**")
    assert edited.status_int == 200
    assert edited.json["updated_at"] > made["updated_at"]
    assert edited.json == {
        **made,
        "body": "**New**",
        "body_html": "<p><strong>New</strong></p>",
        "updated_at": edited.json["updated_at"],
    }


def test_an_edit_of_line_ends_alone_leaves_updated_at(
    forum: Forum, bob: Person, topic: int
) -> None:
    made = bob.post(f"/topics/{topic}/replies", body="a\r\nb").json
    assert made["body"] == "a\nb"
    for stored in ("a\nb", "a\r\nb"):
        with forum.database.session.begin() as db:
            db.execute(update(Reply).values(body=stored))
        edited = bob.post(f"/replies/{made['id']}", body="a\r\nb").json
        assert edited["updated_at"] == made["updated_at"]


def test_an_edit_that_changes_nothing_leaves_updated_at(bob: Person, topic: int) -> None:
    made = bob.post(f"/topics/{topic}/replies", body="B").json
    assert bob.post(f"/replies/{made['id']}", body="B").json == made


def test_editing_or_liking_a_reply_does_not_move_its_topic(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
    reply = forum.reply(bob, topic)
    newer = forum.topic(alice, forum.node("Other"))
    before = alice.get(f"/topics/{topic}").json["replied_at"]
    bob.post(f"/replies/{reply}", body="New")
    alice.post("/likes", obj_type="reply", obj_id=reply)
    assert [t["id"] for t in alice.get("/topics").json] == [newer, topic]
    assert alice.get(f"/topics/{topic}").json["replied_at"] == before


def test_a_deleted_reply_keeps_its_place_as_a_tombstone(
    forum: Forum, bob: Person, topic: int
) -> None:
    made = [forum.reply(bob, topic, f"Reply {n}") for n in range(3)]
    assert bob.delete(f"/replies/{made[1]}").json == {"ok": 1}
    listed = forum.nobody.get(f"/topics/{topic}/replies").json
    assert [reply["id"] for reply in listed] == made
    assert [reply["deleted"] for reply in listed] == [False, True, False]
    assert [reply["body_html"] == "" for reply in listed] == [False, True, False]
    page = forum.nobody.get(f"/topics/{topic}/replies", offset=1, limit=1).json
    assert page == [listed[1]]


def test_a_reply_deleted_twice_is_subtracted_once(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
    chief = forum.person("chief", role="admin")
    left, gone = forum.reply(bob, topic), forum.reply(bob, topic)
    assert chief.delete(f"/replies/{gone}").status_int == 200
    assert chief.delete(f"/replies/{gone}").status_int == 200
    assert alice.get(f"/topics/{topic}").json["replies_count"] == 1
    assert bob.get("/users/me").json["replies_count"] == 1
    assert [r["id"] for r in bob.get("/users/bob/replies").json] == [left]
    assert drift(forum.database) == []


def last_reply(person: Person, topic: int) -> tuple[object, ...]:
    """Return the last reply of a topic."""
    shown = person.get(f"/topics/{topic}").json
    return shown["last_reply_user_id"], shown["last_reply_user_login"], shown["replied_at"]


@pytest.mark.parametrize(
    ("deleted", "last"), [([], 2), ([0], 2), ([2], 1), ([1, 2], 0), ([2, 1, 0], None)]
)
def test_the_last_reply_is_the_last_one_that_is_left(
    forum: Forum, alice: Person, bob: Person, topic: int, deleted: list[int], last: int | None
) -> None:
    authors = (alice, bob, alice)
    replies = [forum.reply(person, topic) for person in authors]
    expected: tuple[object, ...] = (None, None, None)
    if last is not None:
        created_at = alice.get(f"/replies/{replies[last]}").json["created_at"]
        expected = (authors[last].id, authors[last].login, created_at)
    for number in deleted:
        assert authors[number].delete(f"/replies/{replies[number]}").status_int == 200
    assert last_reply(alice, topic) == expected
    assert drift(forum.database) == []


def test_a_topic_whose_last_reply_is_deleted_falls_back_in_the_list(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
    newer = forum.topic(alice, forum.node("Other"))
    reply = forum.reply(bob, topic)
    bob.delete(f"/replies/{reply}")
    assert [t["id"] for t in alice.get("/topics").json] == [newer, topic]
    assert [t["id"] for t in alice.get("/topics?type=no_reply").json] == [newer, topic]


def test_the_author_may_delete_a_topic_again_once_no_reply_of_others_is_left(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
    forum.reply(alice, topic)
    reply = forum.reply(bob, topic)
    assert alice.get(f"/topics/{topic}").json["abilities"]["destroy"] is False
    bob.delete(f"/replies/{reply}")
    assert alice.get(f"/topics/{topic}").json["abilities"]["destroy"] is True
    assert alice.delete(f"/topics/{topic}").status_int == 200
    assert drift(forum.database) == []


def test_a_reply_deleted_under_a_banned_topic_is_not_subtracted_twice(
    forum: Forum, bob: Person, topic: int
) -> None:
    chief = forum.person("chief", role="maintainer")
    forum.reply(bob, topic)
    gone = forum.reply(bob, topic)
    chief.post(f"/topics/{topic}/action?type=ban")
    chief.delete(f"/replies/{gone}")
    assert bob.get("/users/me").json["replies_count"] == 0
    chief.post(f"/topics/{topic}/action?type=unban")
    assert bob.get("/users/me").json["replies_count"] == 1
    assert drift(forum.database) == []
