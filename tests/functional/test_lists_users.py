"""The other lists: users and their relations, replies, nodes, notifications."""

from typing import Any

import pytest
from sqlalchemy import insert

from forumsvc.db import keyset_paging
from forumsvc.models import Section
from tests.functional.forum import Caller, Forum, Person


def logins(caller: Caller, path: str, **params: Any) -> list[str]:
    """Return the logins of the users listed at a path."""
    listed = caller.get(path, **params)
    assert listed.status_int == 200
    return [user["login"] for user in listed.json]


def test_users_are_listed_by_replies_then_topics_then_oldest_account(forum: Forum) -> None:
    node = forum.node()
    people = {login: forum.person(login) for login in ("old", "young", "topics", "replies")}
    topic = forum.topic(people["topics"], node)
    forum.reply(people["replies"], topic)
    assert logins(forum.nobody, "/users") == ["replies", "topics", "old", "young"]
    forum.reply(people["young"], topic)
    forum.reply(people["young"], topic)
    assert logins(forum.nobody, "/users") == ["young", "replies", "topics", "old"]


def test_only_active_users_are_listed(forum: Forum, alice: Person) -> None:
    forum.change(forum.person("blocked").id, state="blocked")
    forum.change(forum.person("deleted").id, state="deleted")
    assert logins(forum.nobody, "/users") == ["alice"]


def test_users_are_limited_and_know_no_offset(forum: Forum) -> None:
    for number in range(22):
        forum.person(f"user{number:02}")
    assert logins(forum.nobody, "/users", limit=2) == ["user00", "user01"]
    assert logins(forum.nobody, "/users", limit=2, offset=1) == ["user00", "user01"]
    assert len(logins(forum.nobody, "/users")) == 20
    assert len(logins(forum.nobody, "/users", limit=100)) == 22


def test_a_user_is_shown_in_full(forum: Forum, alice: Person) -> None:
    forum.change(
        alice.id,
        email="alice@example.org",
        location="Here",
        company="C",
        codehost="alice-code",
        microblog="alice-blog",
        website="https://example.org",
        bio="Bio",
        tagline="Tag",
        role="vip",
    )
    bob = forum.person("bob")
    shown = bob.get("/users/alice")
    assert shown.status_int == 200
    expected = {
        "id": alice.id,
        "login": "alice",
        "name": "alice",
        "avatar_url": "http://localhost/avatars/alice.svg",
        "location": "Here",
        "company": "C",
        "codehost": "alice-code",
        "microblog": "alice-blog",
        "website": "https://example.org",
        "bio": "Bio",
        "tagline": "Tag",
        "email": "",
        "level": "vip",
        "level_name": "VIP",
        "abilities": {"follow": True, "block": True, "update": False},
    }
    assert {key: shown.json[key] for key in expected} == expected
    counters = [key for key in shown.json if key.endswith("_count")]
    assert [shown.json[key] for key in counters] == [0] * 5


def test_me_is_the_tokens_user_and_sees_the_own_email(forum: Forum, alice: Person) -> None:
    forum.change(alice.id, email="alice@example.org")
    shown = alice.get("/users/me").json
    assert (shown["id"], shown["email"]) == (alice.id, "alice@example.org")
    assert shown["abilities"] == {"follow": False, "block": False, "update": True}
    assert shown == alice.get(f"/users/{alice.id}").json == alice.get("/users/ALICE").json


RELATIONS = [
    ("follow", "/users/alice/following", "alice"),
    ("follow", "/users/alice/followers", "others"),
    ("block", "/users/me/blocked", "alice"),
]


@pytest.mark.parametrize(("relation", "path", "by"), RELATIONS)
def test_relations_are_listed_latest_first(
    forum: Forum, alice: Person, relation: str, path: str, by: str
) -> None:
    people = [forum.person(f"user{number}") for number in range(3)]
    for other in people:
        if by == "alice":
            alice.post(f"/users/{other.id}/{relation}")
        else:
            other.post(f"/users/alice/{relation}")
    assert logins(alice, path) == ["user2", "user1", "user0"]


def test_a_users_replies_are_listed_newest_first_in_full(forum: Forum, alice: Person) -> None:
    bob = forum.person("bob")
    topics = [forum.topic(bob, forum.node(name), title=f"In {name}") for name in ("One", "Two")]
    made = [forum.reply(alice, topic, f"Reply {topic}") for topic in topics]
    forum.reply(bob, topics[0])
    listed = forum.nobody.get("/users/alice/replies").json
    assert [reply["id"] for reply in listed] == made[::-1]
    assert [reply["topic_title"] for reply in listed] == ["In Two", "In One"]
    assert listed[0]["body"] == f"Reply {topics[1]}"


def test_nodes_are_listed_by_sort_descending_then_id(forum: Forum) -> None:
    made = [forum.node(f"N{sort}{n}", sort=sort) for n, sort in enumerate((0, 5, 0, 5, -1))]
    listed = forum.nobody.get("/nodes").json
    assert [node["id"] for node in listed] == [made[n] for n in (1, 3, 0, 2, 4)]


def test_a_node_shows_its_section_or_null(forum: Forum) -> None:
    with forum.database.session.begin() as db:
        section = db.execute(insert(Section).values(name="Big").returning(Section.id)).scalar_one()
    inside = forum.node("In", section_id=section, summary="*All*", sort=3)
    outside = forum.node("Out")
    shown = forum.nobody.get(f"/nodes/{inside}")
    expected = {
        "id": inside,
        "name": "In",
        "summary": "*All*",
        "section_id": section,
        "section_name": "Big",
        "topics_count": 0,
        "sort": 3,
    }
    assert {key: shown.json[key] for key in expected} == expected
    alone = forum.nobody.get(f"/nodes/{outside}").json
    assert (alone["section_id"], alone["section_name"], alone["summary"]) == (None, None, "")
    assert shown.json in forum.nobody.get("/nodes").json


@pytest.mark.parametrize("deep", [False, True])
def test_replies_and_favorites_of_hidden_topics_are_not_listed(
    forum: Forum, alice: Person, monkeypatch: pytest.MonkeyPatch, deep: bool
) -> None:
    if deep:
        # What is asked far down a list, asked at its front.
        monkeypatch.setattr(keyset_paging, "_LARGE_OFFSET", 0)
    admin, node = forum.person("chief", role="admin"), forum.node()
    shown, banned, deleted = (forum.topic(admin, node) for _ in range(3))
    replies = [forum.reply(alice, topic) for topic in (shown, banned, deleted)]
    for topic in (shown, banned, deleted):
        alice.post(f"/topics/{topic}/favorite")
    admin.post(f"/topics/{banned}/action", type="ban")
    admin.delete(f"/topics/{deleted}")
    assert [one["id"] for one in forum.nobody.get("/users/alice/replies").json] == replies[:1]
    assert [one["id"] for one in forum.nobody.get("/users/alice/favorites").json] == [shown]
