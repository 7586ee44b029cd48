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


@pytest.fixture
def keyed(make_forum: MakeForum) -> Forum:
    """An empty forum with the keyed envelope."""
    return make_forum(api__envelope="keyed")


def _opened(keyed: Forum, login: str) -> tuple[int, int]:
    """Create a topic with a reply; return the ids of both."""
    author = keyed.person(login)
    topic = keyed.topic(author, keyed.node())
    return topic, keyed.reply(author, topic, "R")


def test_the_guide_names_the_kind_of_every_failure_that_is_described(keyed):
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


def test_every_user_carries_abilities_true_for_oneself_and_admins_alone(keyed):
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


def test_what_users_may_do_costs_no_statement(keyed):
    topic, _ = _opened(keyed, "alice")
    for number in range(5):
        keyed.person(f"u{number}").post(f"/topics/{topic}/replies", body="R")
    bob = keyed.person("bob")
    keyed.nobody.get(f"/topics/{topic}")
    few = len(of_request(keyed, bob, "GET", f"/topics/{topic}/replies", limit=1))
    assert len(of_request(keyed, bob, "GET", f"/topics/{topic}/replies")) == few


def test_an_admin_and_a_maintainer_share_no_reply(keyed):
    _, reply = _opened(keyed, "alice")
    shown = [
        keyed.person(role, role=role).get(f"/replies/{reply}").json["reply"]["user"]["abilities"]
        for role in ("maintainer", "admin", "member")
    ]
    assert [one["destroy"] for one in shown] == [False, True, False]


@each(("shape", "status"), [("keyed", 401), ("bare", 400)])
def test_a_wrong_password_has_the_status_that_the_shapes_clients_know(make_forum, shape, status):
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


def test_an_admin_changes_the_site_as_it_is_described(keyed):
    # The harness compares each answer with the description.
    admin = keyed.person("root", role="admin", scope="read write admin")
    assert admin.put("/site", tagline="Questions").json.keys() == {"site", "meta"}
