"""`GET /events`: what happened, for programs that no webhook can reach."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import update

from forumsvc.db.cursors import Cursor
from forumsvc.models import User
from forumsvc.queries import events
from tests.cases import each
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.forum import Forum, Person, content


@pytest.fixture
def admin(forum: Forum) -> Person:
    """An admin with a token for administration alone."""
    return forum.person("admin", role="admin", scope="admin")


def listed(forum: Forum, admin: Person, **parameters: Any) -> tuple[list[Any], str]:
    """Return a page of events, and the cursor of the next page."""
    wait_for_horizon(forum.database)
    answer = admin.get("/events", **parameters)
    assert answer.status_int == 200, answer.text
    [link] = [one for one in answer.headers["Link"].split(", ") if 'rel="next"' in one]
    query = parse_qs(urlsplit(link.partition("<")[2].partition(">")[0]).query)
    found: list[Any] = answer.json
    return found, query["after"][0]


@pytest.mark.both_databases
def test_events_come_oldest_first_with_what_they_are_about(forum, admin, alice):
    node = forum.node()
    topic = forum.topic(alice, node)
    reply = forum.reply(alice, topic, "A **reply**")
    forum.person("bob").post("/likes", obj_type="reply", obj_id=reply)
    found, _ = listed(forum, admin)
    assert [one["type"] for one in found] == ["topic.created", "reply.created", "like.created"]
    assert found[0]["id"].startswith("evt_")
    opened, answered, liked = (one["data"] for one in found)
    assert liked["reply"]["id"] == reply
    assert (opened["id"], opened["node_id"], opened["topic"]["title"]) == (topic, node, "A title")
    assert (answered["id"], answered["topic_id"]) == (reply, topic)
    assert answered["reply"]["body_html"] == "<p>A <strong>reply</strong></p>"
    assert answered["actor"]["login"] == "alice"


@pytest.mark.both_databases
def test_the_next_page_begins_where_this_one_ends_even_if_nothing_is_there_yet(forum, admin, alice):
    found, after = listed(forum, admin)
    assert found == []
    topic = forum.topic(alice, forum.node())
    replies = [forum.reply(alice, topic) for _ in range(3)]
    seen = []
    for _ in range(5):
        found, after = listed(forum, admin, after=after, limit=1)
        seen += [one["data"]["id"] for one in found]
    assert seen == [topic, *replies]
    added = forum.reply(alice, topic)
    found, _ = listed(forum, admin, after=after)
    assert [one["data"]["id"] for one in found] == [added]


def test_hidden_posts_are_shown_as_ids_and_nobodys_address_at_all(forum, admin, alice):
    with forum.database.session.begin() as db:
        db.execute(update(User).values(email="alice@example.org"))
    topic = forum.topic(alice, forum.node())
    maintainer = forum.person("maintainer", role="maintainer")
    assert maintainer.post(f"/topics/{topic}/action?type=ban").status_int == 200
    found, _ = listed(forum, admin)
    assert [(one["type"], one["data"]["topic"]) for one in found] == [
        ("topic.created", None),
        ("topic.banned", None),
    ]
    assert "example.org" not in str(found)


@each(
    ("name", "value"),
    [
        ("type", "topic.praised"),
        ("limit", "0"),
        ("limit", "151"),
        ("after", "nothing"),
        ("after", str(Cursor("topics", (1, 2)))),
        ("after", str(Cursor("events", (1,)))),
    ],
)
def test_a_wrong_parameter_is_refused_with_its_name(admin, name, value):
    answer = admin.get("/events", **{name: value})
    assert answer.status_int == 400
    assert answer.json["error"].startswith(f"{name}: ")


@pytest.mark.both_databases
def test_a_cursor_of_before_a_restore_from_a_dump_is_refused(forum, admin):
    ahead = 2**62
    answer = admin.get("/events", after=str(Cursor("events", (ahead, 1))))
    if forum.database.is_sqlite:
        # Ids go on in a file that was put back, so there is nothing to notice.
        assert answer.status_int == 200
        return
    assert events.horizon(forum.database.executor) < ahead
    assert answer.status_int == 400
    assert "restored" in answer.json["error"]


@pytest.mark.both_databases
def test_the_cursor_of_one_type_passes_all_that_was_looked_at(forum, admin, alice):
    topic = forum.topic(alice, forum.node())
    replies = [forum.reply(alice, topic) for _ in range(3)]
    found, after = listed(forum, admin, type="topic.updated")
    assert found == []
    assert listed(forum, admin, after=after)[0] == []
    replies.append(forum.reply(alice, topic))
    found, after = listed(forum, admin, type="reply.created", after=after)
    assert [one["data"]["id"] for one in found] == replies[3:]
    found, after = listed(forum, admin, type="reply.created", limit=2)
    assert [one["data"]["id"] for one in found] == replies[:2]
    found, after = listed(forum, admin, type="reply.created", limit=2, after=after)
    assert [one["data"]["id"] for one in found] == replies[2:]


@pytest.mark.parametrize(("pages", "user"), [("true", "/alice"), ("false", "/api/v3/users/{}")])
def test_an_event_links_to_the_page_of_its_object_or_to_the_api(make_forum, pages, user):
    forum = make_forum(pages__forum=pages, site__url="https://forum.example.org")
    alice = forum.person("alice")
    topic = content(alice.post("/topics", title="T", body="B", node_id=forum.node()))["id"]
    alice.put("/users/me", bio="New")
    admin = forum.person("chief", role="admin", scope="read admin")
    events_shown, _ = listed(forum, admin)
    found = {one["type"]: one["data"]["url"] for one in events_shown}
    base = "https://forum.example.org"
    api = "" if pages == "true" else "/api/v3"
    assert found["topic.created"] == f"{base}{api}/topics/{topic}"
    assert found["user.updated"] == base + user.format(alice.id)
