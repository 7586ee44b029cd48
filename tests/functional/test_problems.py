"""Errors as `application/problem+json` (RFC 9457): to whom, with which code, in which language."""

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import update
from webtest import TestResponse

from forumsvc.models import User
from forumsvc.queries import nodes
from tests.cases import each
from tests.functional.conftest import MakeForum
from tests.functional.forum import API, Caller, Forum
from tests.functional.raw import raw

PROBLEM = "application/problem+json"
WANTED = {"Accept": PROBLEM}


def problem_of(answer: TestResponse) -> dict[str, Any]:
    """Return a problem, and check what all have."""
    assert answer.content_type == PROBLEM, answer.text
    problem: dict[str, Any] = answer.json
    assert problem["status"] == answer.status_int
    assert problem["type"] == f"http://localhost/docs/guide/errors#{problem['code']}"
    assert problem["title"]
    assert answer.headers["Vary"].startswith("Accept, Accept-Language")
    assert answer.headers["Cache-Control"] == "no-store"
    return problem


def refused(who: Caller, method: str, path: str, form: Any = None) -> tuple[int, str, str | None]:
    """Return status, code and parameter of a problem, whose sentence is that of the usual error."""
    usual = who.call(method, path, form or {})
    problem = problem_of(who.call(method, path, form or {}, headers=WANTED))
    assert problem["detail"] == usual.json["error"]
    return problem["status"], problem["code"], problem.get("parameter")


@each(
    ("accept", "is_wanted"),
    [
        (PROBLEM, True),
        ("Application/Problem+JSON", True),
        (f"application/json, {PROBLEM}", True),
        (f"{PROBLEM};q=0.1, application/json", True),
        (f"{PROBLEM}; charset=utf-8", True),
        (f"text/html;q=0.9, {PROBLEM}; q=0.001, */*", True),
        (f"{PROBLEM};q=0", False),
        (f"{PROBLEM};q=0.000, */*", False),
        ("*/*", False),
        ("application/*", False),
        ("application/json", False),
        ("application/problem+xml", False),
        ("", False),
        (",;,", False),
        (f'"{PROBLEM}"', False),
    ],
)
def test_who_names_it_gets_it(forum, accept, is_wanted):
    answer = forum.nobody.call("GET", "/topics?limit=0", headers={"Accept": accept})
    assert answer.status_int == 400
    if is_wanted:
        assert problem_of(answer)["code"] == "parameter"
    else:
        assert answer.content_type == "application/json"
        assert answer.json == {"error": "limit: must be an integer from 1 to 150, not '0'"}
        assert "Content-Language" not in answer.headers


@pytest.mark.parametrize("envelope", ["bare", "keyed"])
def test_it_is_the_same_in_both_shapes(make_forum: MakeForum, envelope: str):
    forum = make_forum(**{"api.envelope": envelope})
    assert forum.nobody.call("GET", "/topics?limit=0", headers=WANTED).json == {
        "type": "http://localhost/docs/guide/errors#parameter",
        "title": "A parameter is missing or wrong",
        "status": 400,
        "detail": "limit: must be an integer from 1 to 150, not '0'",
        "code": "parameter",
        "parameter": "limit",
    }


def test_success_is_what_it_was(forum: Forum):
    answer = forum.nobody.call("GET", "/users", headers=WANTED)
    assert (answer.status_int, answer.content_type) == (200, "application/json")
    assert answer.body == forum.nobody.get("/users").body
    tag = {"If-None-Match": answer.headers["ETag"], **WANTED}
    assert forum.nobody.call("GET", "/users", headers=tag).status_int == 304


def test_each_refusal_has_its_code(forum: Forum):
    alice, bob, root = (forum.person(n, role=r) for n, r in PEOPLE.items())
    blocked = forum.person("blocked")
    with forum.database.session.begin() as db:
        db.execute(update(User).where(User.id == blocked.id).values(state="blocked"))
    node = forum.node()
    topic, closed, banned = (forum.topic(alice, node) for _ in range(3))
    reply = forum.reply(bob, topic)
    for path in (f"/topics/{closed}/action?type=close", f"/topics/{banned}/action?type=ban"):
        assert root.call("POST", path, {}).status_int == 200
    form = {"title": "T", "node_id": node, "body": "B"}
    assert refused(bob, "PUT", f"/topics/{topic}", form) == (403, "not_yours", None)
    assert refused(bob, "DELETE", f"/topics/{closed}") == (403, "not_yours", None)
    assert refused(alice, "POST", f"/replies/{reply}", {"body": "B"}) == (403, "not_yours", None)
    assert refused(bob, "PUT", "/users/alice", {"tagline": "x"}) == (403, "not_yours", None)
    assert refused(bob, "GET", "/users/alice/blocked") == (403, "not_yours", None)
    banning = f"/topics/{topic}/action?type=ban"
    assert refused(alice, "POST", banning) == (403, "forbidden", None)
    assert refused(bob, "POST", banning) == (403, "forbidden", None)
    assert refused(alice, "DELETE", f"/topics/{topic}") == (403, "topic_answered", None)
    assert refused(bob, "POST", f"/topics/{closed}/replies", form) == (403, "topic_closed", None)
    assert refused(alice, "POST", f"/topics/{banned}/replies", form) == (403, "topic_banned", None)
    assert refused(bob, "POST", "/users/bob/follow") == (403, "your_own", None)
    assert refused(blocked, "POST", "/topics", form) == (403, "silenced", None)
    liking = {"obj_type": "topic", "obj_id": topic}
    assert refused(blocked, "POST", "/likes", liking) == (403, "silenced", None)
    silence = {"days": "1", "reason": "Enough"}
    moderating = forum.caller(forum.token(root.id, scope="moderate"))
    assert moderating.call("POST", "/users/bob/silence", silence).status_int == 200
    assert refused(bob, "POST", "/topics", form) == (403, "silenced", None)
    reading = forum.caller(forum.token(alice.id, scope="read"))
    assert refused(reading, "POST", "/topics", form) == (403, "scope_missing", None)
    assert refused(forum.nobody, "POST", "/topics", form) == (401, "unauthenticated", None)
    assert refused(forum.caller("wrong"), "GET", "/topics") == (401, "invalid_token", None)
    assert refused(alice, "GET", "/topics/1000000") == (404, "not_found", None)
    assert refused(alice, "GET", "/topics?node_id=1000000") == (404, "not_found", "node_id")
    missing = {"obj_type": "topic", "obj_id": 1_000_000}
    assert refused(alice, "POST", "/likes", missing) == (404, "not_found", "obj_id")
    assert refused(alice, "POST", "/topics", {"node_id": node}) == (400, "parameter", "title")
    assert refused(alice, "PUT", "/topics") == (405, "method_not_allowed", None)
    assert refused(forum.nobody, "POST", "/users", {}) == (403, "registration_closed", None)


PEOPLE = {"alice": "member", "bob": "member", "root": "admin"}


def test_new_and_unconfirmed_people_are_told_why(make_forum: MakeForum):
    confirming = {"accounts.confirm_email": "true", "mail.delivery": "folder"}
    forum = make_forum(**{"accounts.newbie_minutes": "60", **confirming})
    new, unconfirmed = forum.person("new", age_days=0), forum.person("unconfirmed")
    waiting = forum.person("waiting")
    with forum.database.session.begin() as db:
        values = {"email": "u@example.org", "email_confirmed_at": None}
        db.execute(update(User).where(User.id == unconfirmed.id).values(**values))
        db.execute(update(User).where(User.id == waiting.id).values(awaits_approval=True))
    form = {"title": "T", "node_id": forum.node(), "body": "B"}
    assert refused(new, "POST", "/topics", form) == (403, "too_new", None)
    assert refused(unconfirmed, "POST", "/topics", form) == (403, "unconfirmed", None)
    assert refused(waiting, "POST", "/topics", form) == (403, "awaits_approval", None)


def test_the_headers_of_an_error_stay(forum: Forum):
    answer = forum.caller("wrong").call("GET", "/topics", headers=WANTED)
    assert answer.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    answer = forum.nobody.call("PUT", "/topics", {}, headers=WANTED)
    assert (answer.status_int, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS, POST")


def test_errors_before_and_behind_the_views_are_problems_too(
    make_forum: MakeForum, monkeypatch: pytest.MonkeyPatch
):
    forum = make_forum(**{"rate_limit.requests": "3/hour"})
    text = {"Content-Type": "text/plain", **WANTED}
    large = {"Content-Length": str(10**9), **WANTED}
    found = [
        raw(forum, "GET", f"{API}/x?%ff", WANTED),
        raw(forum, "GET", "/nothing/at/all", WANTED),
        raw(forum, "POST", f"{API}/topics", text, b"x"),
        raw(forum, "POST", f"{API}/topics", large),
        raw(forum, "GET", "/photos/00/no.png", WANTED),
    ]
    assert [problem_of(one)["code"] for one in found] == [
        *("malformed", "not_found", "unsupported_body", "too_large", "not_found"),
    ]
    answers = [forum.nobody.call("GET", "/nodes", headers=WANTED) for _ in range(4)]
    assert problem_of(answers[-1])["code"] == "rate_limited"
    assert int(answers[-1].headers["Retry-After"]) > 0

    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(nodes, "all_nodes", fail)
    broken = make_forum().nobody.call("GET", "/nodes", headers=WANTED)
    assert (broken.status_int, problem_of(broken)["code"]) == (500, "server_error")
    assert "secret" not in broken.text


def test_oauth_answers_as_rfc_6749_says(forum: Forum):
    for path, status in (("/oauth/token", 400), ("/oauth/nothing", 404)):
        answers = [raw(forum, "POST", path, headers) for headers in ({}, WANTED)]
        assert [one.status_int for one in answers] == [answers[0].status_int] * 2
        assert answers[0].status_int in (status, 401)
        assert answers[0].body == answers[1].body
        assert answers[1].content_type == "application/json"


@each(
    ("accepted", "language", "detail"),
    [
        ("zh", "zh", "该主题已关闭，不再接受回复。"),
        ("zh-Hans-CN, en;q=0.5", "zh", None),
        ("fr, zh;q=0.5", "zh", None),
        ("en, zh;q=0.5", "en", "This topic is closed: it takes no more replies."),
        ("fr", "en", "This topic is closed: it takes no more replies."),
        ("", "en", "This topic is closed: it takes no more replies."),
    ],
)
def test_the_sentence_is_in_the_language_of_the_client(forum, accepted, language, detail):
    alice = forum.person(f"alice{uuid4().hex[:8]}")
    topic = forum.topic(alice, forum.node(f"Node {uuid4().hex[:8]}"))
    alice.post(f"/topics/{topic}/action?type=close")
    path, form = f"/topics/{topic}/replies", {"body": "B"}
    headers = {"Accept-Language": accepted, **WANTED}
    answer = alice.call("POST", path, form, headers=headers)
    problem = problem_of(answer)
    assert answer.headers["Content-Language"] == language
    assert problem["code"] == "topic_closed"
    assert problem["detail"].isascii() is (language == "en")
    assert problem["title"].isascii() is (language == "en")
    assert detail is None or language == "zh" or problem["detail"] == detail
    # The old body is English, as before.
    usual = alice.call("POST", path, form, headers={"Accept-Language": accepted})
    assert usual.json == {"error": "This topic is closed: it takes no more replies."}


def test_values_of_a_sentence_are_translated_too(forum: Forum):
    headers = {"Accept-Language": "zh", **WANTED}
    problem = forum.nobody.call("GET", "/topics?limit=x%25d", headers=headers).json
    assert "'x%d'" in problem["detail"]
    assert "1" in problem["detail"]
    assert "150" in problem["detail"]
    assert not problem["detail"].isascii()
