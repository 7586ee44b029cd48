"""Topics: creating, reading and editing."""

import pytest
from sqlalchemy import delete, update

from forumsvc.deprecations import SINCE
from forumsvc.models import Event, Node, Notification, Topic
from tests.functional.forum import Forum, Person
from tests.functional.recounting import drift

pytestmark = pytest.mark.usefixtures("advancing_clock")


def test_a_created_topic_is_answered_with_201_and_its_location(forum: Forum) -> None:
    alice, node = forum.person("alice"), forum.node()
    made = alice.post("/topics", title="T", node_id=node, body="B")
    assert made.status_int == 201
    assert made.headers["Location"] == f"http://localhost/api/v3/topics/{made.json['id']}"
    assert forum.app.get(made.headers["Location"]).json["title"] == "T"


def test_a_created_topic_is_shown_in_full(forum: Forum) -> None:
    alice, node = forum.person("alice"), forum.node("General")
    made = alice.post("/topics", title="  A title ", node_id=node, body="Some *text*").json
    created_at = made["created_at"]
    expected = {
        "title": "A title",
        "node_name": "General",
        "node_id": node,
        "excellent": False,
        "deleted": False,
        "replies_count": 0,
        "likes_count": 0,
        "last_reply_user_id": None,
        "last_reply_user_login": None,
        "user": {
            "id": alice.id,
            "login": "alice",
            "name": "alice",
            "avatar_url": "http://localhost/avatars/alice.svg",
        },
        "replied_at": None,
        "updated_at": created_at,
        "closed_at": None,
        "body": "Some *text*",
        "body_html": "<p>Some <em>text</em></p>",
        "hits": 0,
    }
    assert {key: made[key] for key in expected} == expected


def test_a_created_topic_is_counted_for_its_author_and_its_node(forum: Forum) -> None:
    alice, node = forum.person("alice"), forum.node()
    forum.topic(alice, node)
    forum.topic(alice, node)
    assert alice.get("/users/me").json["topics_count"] == 2
    assert alice.get(f"/nodes/{node}").json["topics_count"] == 2


def test_answers_of_what_is_for_older_clients_alone_say_so(forum: Forum) -> None:
    admin, node = forum.person("admin", role="admin", scope="read write moderate"), forum.node()
    topic = forum.topic(admin, node)
    form = {"title": "New", "node_id": node, "body": "New"}
    since = f"@{int(SINCE['banTopic'].timestamp())}"
    older = [
        admin.call("POST", f"/topics/{topic}", form),
        admin.call("POST", f"/topics/{topic}", {}),
        admin.call("POST", f"/topics/{topic}/ban"),
        admin.call("POST", f"/topics/{topic}/action", {"type": "normal"}),
    ]
    assert [answer.headers.get("Deprecation") for answer in older] == [since] * 4
    current = [
        admin.call("PUT", f"/topics/{topic}", form),
        admin.call("POST", f"/topics/{topic}/action", {"type": "ban"}),
        admin.call("POST", f"/topics/{topic}/action", {"type": "unban"}),
    ]
    assert ["Deprecation" in answer.headers for answer in current] == [False] * 3


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_an_edited_topic_is_answered_in_full(forum: Forum, method: str) -> None:
    alice, node, other = forum.person("alice"), forum.node("One"), forum.node("Two")
    made = alice.post("/topics", title="Old", node_id=node, body="Old").json
    new = {"title": " New ", "node_id": other, "body": "**New**"}
    edited = alice.call(method, f"/topics/{made['id']}", new)
    assert edited.status_int == 200
    assert "Location" not in edited.headers
    assert edited.json["updated_at"] > made["updated_at"]
    assert edited.json == {
        **made,
        "title": "New",
        "node_id": other,
        "node_name": "Two",
        "body": "**New**",
        "body_html": "<p><strong>New</strong></p>",
        "updated_at": edited.json["updated_at"],
    }


@pytest.mark.parametrize("changed", ["title", "node_id", "body"])
def test_updated_at_moves_when_title_node_or_body_change(forum: Forum, changed: str) -> None:
    alice, node, other = forum.person("alice"), forum.node("One"), forum.node("Two")
    old = {"title": "T", "node_id": node, "body": "B"}
    made = alice.post("/topics", **old).json
    new = {"title": "New", "node_id": other, "body": "New"}[changed]
    edited = alice.put(f"/topics/{made['id']}", **{**old, changed: new}).json
    assert edited["updated_at"] > made["updated_at"]


def test_a_node_that_is_not_there_is_400_and_nothing_is_half_done(forum: Forum) -> None:
    alice, gone, node, chief = (
        forum.person("alice"),
        forum.node("Gone"),
        forum.node("Left"),
        forum.person("chief", role="maintainer"),
    )
    with forum.database.session.begin() as db:
        db.execute(delete(Node).where(Node.id == gone))
    topic = forum.topic(alice, node)
    shown = alice.get(f"/topics/{topic}").json
    # In the order of the ids one of the two is looked at before the topic's own node.
    for missing in (gone, node + 1):
        error = {"error": "node_id: there is no such node"}
        sent = {"title": "New", "node_id": missing, "body": "For @chief"}
        for answer in (alice.post("/topics", **sent), alice.put(f"/topics/{topic}", **sent)):
            assert (answer.status_int, answer.json) == (400, error)
    assert {**alice.get(f"/topics/{topic}").json, "hits": 0} == {**shown, "hits": 0}
    assert forum.count(Topic) == 1
    assert forum.count(Notification) == 0
    assert drift(forum.database) == []
    chief.post(f"/topics/{topic}/action?type=ban")
    hidden = chief.put(f"/topics/{topic}", title="New", node_id=gone, body="B")
    assert (hidden.status_int, hidden.json) == (400, {"error": "node_id: there is no such node"})


def test_updated_at_stays_when_an_edit_changes_nothing(alice: Person, node: int) -> None:
    made = alice.post("/topics", title="T", node_id=node, body="B").json
    edited = alice.put(f"/topics/{made['id']}", title="T", node_id=node, body="B").json
    assert edited["updated_at"] == made["updated_at"]


@pytest.mark.parametrize("stored", ["a\n\nb", "a\r\n\r\nb", "a\r\rb"])
def test_an_edit_of_line_ends_alone_changes_nothing(
    forum: Forum, alice: Person, node: int, stored: str
) -> None:
    topic = forum.topic(alice, node, body="a\n\nb")
    with forum.database.session.begin() as db:
        db.execute(update(Topic).values(body=stored))
    shown, events = alice.get(f"/topics/{topic}").json, forum.count(Event)
    for body in ("a\r\n\r\nb", "a\n\nb", "a\r\rb"):
        edited = alice.put(f"/topics/{topic}", title="A title", node_id=node, body=body).json
        assert edited["updated_at"] == shown["updated_at"]
    assert forum.count(Event) == events


def test_a_body_of_invisible_characters_is_refused(alice: Person, node: int) -> None:
    for fields in ({"title": "\u3164"}, {"body": "\u2800\n\u200b"}):
        refused = alice.post("/topics", **{"title": "T", "node_id": node, "body": "B", **fields})
        assert refused.status_int == 400
        assert refused.json == {"error": f"{next(iter(fields))}: must have a visible character"}


def test_nothing_but_an_edit_moves_updated_at(forum: Forum) -> None:
    alice, chief = forum.person("alice"), forum.person("chief", role="maintainer")
    topic = forum.topic(alice, forum.node())
    made = alice.get(f"/topics/{topic}").json
    reply = forum.reply(chief, topic)
    chief.delete(f"/replies/{reply}")
    chief.post("/likes", obj_type="topic", obj_id=topic)
    for action in ("excellent", "unexcellent", "close", "open", "ban", "unban"):
        assert chief.post(f"/topics/{topic}/action?type={action}").status_int == 200
    for relation in ("follow", "unfollow", "favorite", "unfavorite"):
        assert chief.post(f"/topics/{topic}/{relation}").status_int == 200
    assert alice.get(f"/topics/{topic}").json["updated_at"] == made["updated_at"]


def test_a_moved_topic_is_counted_in_its_new_node_only(forum: Forum) -> None:
    alice, old, new = forum.person("alice"), forum.node("Old"), forum.node("New")
    topic = forum.topic(alice, old)
    alice.put(f"/topics/{topic}", title="T", node_id=new, body="B")
    assert alice.get(f"/nodes/{old}").json["topics_count"] == 0
    assert alice.get(f"/nodes/{new}").json["topics_count"] == 1


def test_a_topic_moved_while_banned_is_counted_in_its_new_node_once_it_is_back(
    forum: Forum,
) -> None:
    alice, chief = forum.person("alice"), forum.person("chief", role="admin")
    old, new = forum.node("Old"), forum.node("New")
    topic = forum.topic(alice, old)
    chief.post(f"/topics/{topic}/action?type=ban")
    chief.put(f"/topics/{topic}", title="T", node_id=new, body="B")
    assert [n["topics_count"] for n in alice.get("/nodes").json] == [0, 0]
    chief.post(f"/topics/{topic}/action?type=unban")
    assert alice.get(f"/nodes/{old}").json["topics_count"] == 0
    assert alice.get(f"/nodes/{new}").json["topics_count"] == 1
    assert drift(forum.database) == []


def test_editing_does_not_move_a_topic_in_the_list(forum: Forum, alice: Person, node: int) -> None:
    first, second = forum.topic(alice, node), forum.topic(alice, node)
    alice.put(f"/topics/{first}", title="New", node_id=node, body="New")
    assert [t["id"] for t in alice.get("/topics").json] == [second, first]
