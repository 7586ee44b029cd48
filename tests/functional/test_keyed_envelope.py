"""The keyed envelope, `api.envelope = keyed`."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from forumsvc.oauth import clients
from forumsvc.pages.docs.guide import source
from tests.cases import each
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.functional.statements import of_request
from tests.openapi.operations import operations

TOPIC_IN_LIST = {"closed_at", "hits", "grade", "suggested_at", "abilities"}


@pytest.fixture
def keyed(make_forum: MakeForum) -> Forum:
    """An empty forum with the keyed envelope."""
    return make_forum(api__envelope="keyed")


def test_each_list_stands_under_its_name(keyed: Forum) -> None:
    alice, node = keyed.person("alice"), keyed.node()
    names = {
        "/users": "users",
        "/users/alice/topics": "topics",
        "/users/alice/favorites": "topics",
        "/users/alice/replies": "replies",
        "/users/alice/followers": "followers",
        "/users/alice/following": "following",
        "/users/alice/blocked": "blocked",
        "/topics": "topics",
        "/notifications": "notifications",
    }
    answers = {path: alice.get(path).json for path in names}
    assert {path: [*answer] for path, answer in answers.items()} == {
        path: [name] for path, name in names.items()
    }
    nodes = alice.get("/nodes").json
    assert [one["id"] for one in nodes["nodes"]] == [node]
    assert nodes["meta"] == {"total": 1}
    assert alice.get(f"/nodes/{node}").json["meta"] == {}


def test_a_creation_answers_200_with_the_topic_and_its_authors_state(keyed: Forum) -> None:
    alice, node = keyed.person("alice"), keyed.node()
    made = alice.post("/topics", title="T", node_id=node, body="B")
    assert made.status_int == 200
    assert made.json["meta"] == {"followed": False, "liked": False, "favorited": False}
    assert made.json["topic"]["excellent"] == 0
    assert made.json["topic"]["grade"] == "normal"
    replied = alice.post(f"/topics/{made.json['topic']['id']}/replies", body="R")
    assert replied.status_int == 200
    assert replied.json["meta"] == {}
    assert replied.json["reply"]["abilities"] == {"update": True, "destroy": True, "report": False}


def _opened(keyed: Forum, login: str) -> tuple[int, int]:
    """Create a topic with a reply; return the ids of both."""
    author = keyed.person(login)
    topic = keyed.topic(author, keyed.node())
    return topic, keyed.reply(author, topic, "R")


def test_meta_is_the_callers_state_of_a_topic_or_user(keyed: Forum) -> None:
    topic, _ = _opened(keyed, "alice")
    bob = keyed.person("bob")
    bob.post(f"/topics/{topic}/follow")
    bob.post(f"/topics/{topic}/favorite")
    liked = bob.post("/likes", obj_type="topic", obj_id=topic).json
    assert liked == {"obj_type": "topic", "obj_id": topic, "count": 1}
    meta = {"followed": True, "liked": True, "favorited": True}
    assert bob.get(f"/topics/{topic}").json["meta"] == meta
    bob.post("/users/alice/block")
    assert bob.get("/users/alice").json["meta"] == {"followed": False, "blocked": True}
    assert keyed.nobody.get("/users/alice").json["meta"] == {"followed": False, "blocked": False}


def test_topics_in_lists_carry_what_these_clients_rely_on(keyed: Forum) -> None:
    topic, _ = _opened(keyed, "alice")
    admin = keyed.person("root", role="admin")
    admin.post(f"/topics/{topic}/action?type=excellent")
    [listed] = admin.get("/topics").json["topics"]
    assert listed.keys() >= TOPIC_IN_LIST
    assert (listed["excellent"], listed["grade"], listed["suggested_at"]) == (1, "excellent", None)
    assert listed["abilities"]["ban"] is True
    admin.post(f"/topics/{topic}/ban")
    assert admin.get(f"/topics/{topic}").json["topic"]["grade"] == "ban"


def test_replies_in_lists_carry_body_abilities_and_action_and_which_are_liked(keyed: Forum) -> None:
    topic, reply = _opened(keyed, "alice")
    bob = keyed.person("bob")
    bob.post("/likes", obj_type="reply", obj_id=reply)
    answer = bob.get(f"/topics/{topic}/replies").json
    [listed] = answer["replies"]
    assert (listed["body"], listed["action"]) == ("R", None)
    assert listed["abilities"] == {"update": False, "destroy": False, "report": True}
    assert answer["meta"] == {"user_liked_reply_ids": [reply]}
    [written] = keyed.nobody.get("/users/alice/replies").json["replies"]
    assert written.keys() >= {"body", "abilities", "action", "topic_title"}


def test_the_text_of_a_deleted_reply_is_in_no_list(keyed: Forum) -> None:
    topic, reply = _opened(keyed, "alice")
    chief = keyed.person("chief", role="maintainer")
    assert chief.delete(f"/replies/{reply}").status_int == 200
    for caller in (keyed.nobody, chief):
        [listed] = caller.get(f"/topics/{topic}/replies").json["replies"]
        assert (listed["deleted"], listed["body"], listed["body_html"]) == (True, "", "")


def test_hello_brings_the_user_in_full_and_the_time(keyed: Forum) -> None:
    alice = keyed.person("alice")
    keyed.change(alice.id, codehost="ac", microblog="am")
    hello = alice.get("/hello").json
    assert hello["current_user"] == "alice"
    assert (hello["user"]["github"], hello["user"]["twitter"]) == ("ac", "am")
    assert hello["meta"].keys() == {"time"}


def test_an_unknown_type_of_list_falls_back(keyed: Forum) -> None:
    assert keyed.nobody.get("/topics?type=whatever").json == {"topics": []}


@each(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/topics?limit=0", 400, "ParameterInvalid"),
        ("GET", "/hello", 401, "Unauthorized"),
        ("GET", "/topics/1", 404, "ResourceNotFound"),
        ("DELETE", "/topics", 405, "MethodNotAllowed"),
    ],
)
def test_a_failure_names_its_kind_and_what_is_wrong(
    keyed: Forum, method: str, path: str, status: int, kind: str
) -> None:
    refused = keyed.nobody.call(method, path)
    assert refused.status_int == status
    assert refused.json["error"] == kind
    assert refused.json["message"]


def test_what_has_no_name_stays_as_it_is(keyed: Forum) -> None:
    alice = keyed.person("alice")
    keyed.person("bob")
    assert alice.post("/users/bob/follow").json == {"ok": 1}
    assert alice.get("/notifications/unread_count").json == {"count": 0}


def test_the_guide_names_the_kind_of_every_failure_that_is_described(keyed: Forum) -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([0-9, ]+) \|$", source("keyed-envelope"), re.M)
    shown = {int(status): kind for kind, listed in rows for status in listed.split(", ")}
    described = {int(status) for one in operations() for status in one.definition["responses"]}
    # A method that a path does not have is no operation.
    assert shown.keys() == {status for status in described if status >= 400} | {405}
    error = keyed.registry.envelope.error
    assert {status: error(status, "")["error"] for status in shown} == shown


SUMMARY = {"update", "destroy"}


def _users_in(document: object) -> Iterator[dict[str, Any]]:
    """Yield every user object in a response."""
    if isinstance(document, dict):
        if "avatar_url" in document:
            yield document
        for inner in document.values():
            yield from _users_in(inner)
    elif isinstance(document, list):
        for inner in document:
            yield from _users_in(inner)


def test_every_user_carries_abilities_true_for_oneself_and_admins_alone(keyed: Forum) -> None:
    topic, reply = _opened(keyed, "alice")
    alice_id = keyed.nobody.get("/users/alice").json["user"]["id"]
    alice = Person(keyed.app, keyed.token(alice_id), alice_id, "alice")
    bob, root = keyed.person("bob"), keyed.person("root", role="admin")
    bob.post("/users/alice/follow")
    bob.post(f"/topics/{topic}/replies", body="Hi @alice")
    alice.post("/users/bob/follow")
    alice.post(f"/topics/{topic}/favorite")
    paths = [
        *("/topics", f"/topics/{topic}", f"/topics/{topic}/replies", f"/replies/{reply}"),
        *("/users", "/users/alice", "/users/alice/topics", "/users/alice/replies"),
        *("/users/alice/favorites", "/users/alice/followers", "/users/alice/following"),
    ]
    own = ["/hello", "/users/me", "/notifications"]
    for caller in (keyed.nobody, alice, bob, root):
        own_id = getattr(caller, "id", None)
        for path in [*paths, *(own if own_id else ())]:
            found = [*_users_in(caller.get(path).json)]
            assert found or path == "/notifications", path
            for user in found:
                shown = user["abilities"]
                assert shown.keys() >= SUMMARY, path
                is_own = user["id"] == own_id
                assert shown["update"] is is_own, path
                assert shown["destroy"] is (is_own or caller is root), path


def test_what_users_may_do_costs_no_statement(keyed: Forum) -> None:
    topic, _ = _opened(keyed, "alice")
    for number in range(5):
        keyed.person(f"u{number}").post(f"/topics/{topic}/replies", body="R")
    bob = keyed.person("bob")
    few = len(of_request(keyed, bob, "GET", f"/topics/{topic}/replies", limit=1))
    assert len(of_request(keyed, bob, "GET", f"/topics/{topic}/replies")) == few


def test_an_admin_and_a_maintainer_share_no_reply(keyed: Forum) -> None:
    _, reply = _opened(keyed, "alice")
    shown = [
        keyed.person(role, role=role).get(f"/replies/{reply}").json["reply"]["user"]["abilities"]
        for role in ("maintainer", "admin", "member")
    ]
    assert [one["destroy"] for one in shown] == [False, True, False]


@each(("shape", "status"), [("keyed", 401), ("bare", 400)])
def test_a_wrong_password_has_the_status_that_the_shapes_clients_know(
    make_forum: MakeForum, shape: str, status: int
) -> None:
    forum = make_forum(api__envelope=shape)
    with forum.database.session.begin() as db:
        made = clients.create(db, "app", grants=["password", "refresh_token"])
    keys = {"client_id": made.client_id, "client_secret": made.client_secret or ""}
    asked = {"username": "nobody", "password": "wrong", **keys}
    sent = {"grant_type": "password", **asked}
    answer = forum.app.post("/oauth/token", sent, status=status)
    assert answer.json["error"] == "invalid_grant"
    assert ("WWW-Authenticate" in answer.headers) is (status == 401)
    # All else stays RFC 6749's.
    refresh = {"grant_type": "refresh_token", "refresh_token": "x", **keys}
    assert forum.app.post("/oauth/token", refresh, status=400).json["error"] == "invalid_grant"
    lacking = {"grant_type": "password", **keys}
    assert forum.app.post("/oauth/token", lacking, status=400).json["error"] == "invalid_request"
