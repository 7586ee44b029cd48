"""Rate limits of the API: counted by caller, shown in headers, refused with 429."""

import time
from typing import Any

import pytest

from forumsvc.oauth import clients, tokens
from tests.functional.forum import API, Caller, Forum
from tests.functional.oauth.application import Application
from tests.functional.raw import raw
from tests.functional.statements import counting
from tests.seconds_clock import SecondsClock
from tests.system.redis_server import running_redis

THREE = {"rate_limit__requests": "3/minute"}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SecondsClock:
    clock = SecondsClock(time.time())
    monkeypatch.setattr("forumsvc.web.limits.rate_limiter.time.time", clock.time)
    return clock


def limit_headers(answer: Any) -> tuple[str | None, str | None]:
    return answer.headers.get("RateLimit-Policy"), answer.headers.get("RateLimit")


def test_where_no_rate_is_set_no_header_is_sent(forum):
    assert limit_headers(forum.nobody.get("/topics")) == (None, None)


@pytest.mark.usefixtures("clock")
def test_every_answer_has_the_rate_limit_headers(make_forum):
    forum = make_forum(rate_limit__requests="9/minute")
    paths = ("/topics", "/topics/7", "/hello", "/topics?limit=0", "/topics/x/y/z", "/openapi.json")
    for left, path in zip(range(8, 0, -1), paths, strict=False):
        answer = forum.nobody.get(path)
        assert limit_headers(answer) == ('"default";q=9;w=60', f'"default";r={left};t=60'), path


def test_a_refused_request_has_retry_after(make_forum, clock):
    forum = make_forum(**THREE)
    for _ in range(3):
        assert forum.nobody.get("/topics").status_int == 200
    clock.now += 20
    refused = forum.nobody.get("/topics")
    assert (refused.status_int, refused.headers["Retry-After"]) == (429, "40")
    assert refused.json == {"error": "Too many requests. Try again in 40 seconds."}
    assert refused.headers["RateLimit"] == '"default";r=0;t=40'
    clock.now += 40
    assert forum.nobody.get("/topics").headers["RateLimit"] == '"default";r=2;t=60'


def test_nobody_is_counted_by_the_address_and_refused_without_asking_the_database(make_forum):
    forum = make_forum(**THREE)

    def call(address: str) -> int:
        env = {"REMOTE_ADDR": address}
        return forum.app.get(f"{API}/topics", extra_environ=env, status="*").status_int

    # Of IPv6 it is the network that a subscriber has.
    assert [call(f"2001:db8::{number}") for number in range(3)] == [200] * 3
    with counting(forum.registry.database) as seen:
        assert call("2001:db8::9") == 429
    assert len(seen) == 0
    assert call("2001:db8:0:1::1") == 200


def at_another_application(forum: Forum, user_id: int | None) -> Caller:
    """Return a user, or an application itself, with a token of a new application."""
    with forum.database.session.begin() as db:
        other = clients.find(db, clients.create(db, "Other", grants=("password",)).client_id)
        assert other is not None
        issued = tokens.issue(
            db,
            client_id=other.id,
            user_id=user_id,
            scope="read write",
            access_ttl=60,
            refresh_ttl=None,
        )
    return forum.caller(issued.access_token)


def test_a_user_has_one_allowance_over_all_tokens_and_applications(make_forum):
    forum = make_forum(**THREE)
    alice, bob = forum.person("alice"), forum.person("bob")
    second = forum.caller(forum.token(alice.id))
    elsewhere = at_another_application(forum, alice.id)
    callers = [alice, second, elsewhere, elsewhere, alice, bob, forum.nobody]
    answers = [caller.get("/topics").status_int for caller in callers]
    assert answers == [200, 200, 200, 429, 429, 200, 200]


def test_writes_of_a_user_are_one_allowance_over_all_applications(make_forum):
    forum = make_forum(rate_limit__writes="5/minute")
    alice, bob = forum.person("alice"), forum.person("bob")
    callers = [alice] * 6 + [at_another_application(forum, alice.id)]
    answers = [caller.post(f"/users/{bob.id}/follow").status_int for caller in callers]
    assert answers == [200] * 5 + [429, 429]


@pytest.mark.usefixtures("clock")
def test_an_application_gets_its_share_of_a_users_allowance(make_forum):
    forum = make_forum(
        rate_limit__requests="9/minute",
        rate_limit__application_requests="2/minute",
        rate_limit__application_writes="1/minute",
    )
    alice = forum.person("alice")
    elsewhere = at_another_application(forum, alice.id)
    answers = [alice.get("/topics") for _ in range(3)]
    assert [answer.status_int for answer in answers] == [200, 200, 429]
    assert limit_headers(answers[0]) == (
        '"application";q=2;w=60, "default";q=9;w=60',
        '"application";r=1;t=60, "default";r=8;t=60',
    )
    assert limit_headers(answers[2])[1] == '"application";r=0;t=60', (
        "nothing of the user's is taken"
    )
    assert (
        limit_headers(elsewhere.get("/topics"))[1] == '"application";r=1;t=60, "default";r=6;t=60'
    )
    other = forum.person("other")
    writes = [other.post("/users/alice/follow").status_int for _ in range(2)]
    assert writes == [200, 429]


@pytest.mark.usefixtures("clock")
def test_an_application_itself_and_nobody_have_one_allowance(make_forum):
    forum = make_forum(rate_limit__requests="9/minute", rate_limit__application_requests="2/minute")
    for caller in (forum.nobody, at_another_application(forum, None)):
        answer = caller.get("/topics")
        assert limit_headers(answer) == ('"default";q=9;w=60', '"default";r=8;t=60')


def test_the_applications_that_a_member_has_registered_share_the_members_allowance(make_forum):
    forum = make_forum(**THREE)
    alice = forum.person("alice")
    robots = [
        Application(forum, grants=("client_credentials",), owner_id=alice.id) for _ in range(2)
    ]
    callers = [
        forum.caller(robot.post("token", grant_type="client_credentials").json["access_token"])
        for robot in robots
    ]
    answers = [caller.get("/topics") for caller in (*callers, alice, *callers)]
    assert [answer.status_int for answer in answers] == [200, 200, 200, 429, 429]


def test_who_tries_tokens_is_counted_by_the_address(make_forum):
    forum = make_forum(**THREE)
    alice = forum.person("alice")
    tries = [forum.caller(f"guess{number}").get("/hello").status_int for number in range(4)]
    assert tries == [401, 401, 401, 429]
    assert forum.nobody.get("/topics").status_int == 429
    assert alice.get("/hello").status_int == 200


@pytest.mark.usefixtures("clock")
def test_writes_have_a_rate_of_their_own_beside(make_forum):
    forum = make_forum(rate_limit__requests="10/minute", rate_limit__writes="1/hour")
    alice = forum.person("alice")
    other = forum.person("other")
    first, second = (alice.post(f"/users/{other.id}/follow") for _ in range(2))
    assert limit_headers(first) == (
        '"default";q=10;w=60, "writes";q=1;w=3600',
        '"default";r=9;t=60, "writes";r=0;t=3600',
    )
    assert (second.status_int, int(second.headers["Retry-After"])) == (429, 3600)
    read = alice.get("/topics")
    assert limit_headers(read) == ('"default";q=10;w=60', '"default";r=7;t=60')


def test_what_is_not_of_the_api_is_not_counted(make_forum):
    forum = make_forum(
        rate_limit__requests="1/hour", rate_limit__writes="1/hour", http__cors_origins="*"
    )
    headers = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    requests = [("GET", path) for path in ("/health", "/avatars/alice.svg", "/login")]
    requests += [("POST", "/oauth/token"), ("OPTIONS", f"{API}/topics")]
    for method, path in requests:
        answers = [raw(forum, method, path, headers) for _ in range(3)]
        assert 429 not in [answer.status_int for answer in answers], path
        assert limit_headers(answers[-1]) == (None, None), path
    assert forum.nobody.get("/topics").status_int == 200


def test_another_attempt_at_a_request_is_not_counted_again(make_forum):
    forum = make_forum(**THREE)
    request = forum.application.request_factory.blank(f"{API}/topics")
    request.registry = forum.registry
    for _ in range(5):
        forum.registry.request_limits.count(request)
    assert forum.nobody.get("/topics").headers["RateLimit"].startswith('"default";r=1;')


def test_counts_that_have_ended_leave_the_memory(make_forum, clock):
    forum = make_forum(**THREE)
    storage = forum.registry.request_limits._rate_limiter._storage
    for number in range(5):
        env = {"REMOTE_ADDR": f"192.0.2.{number}"}
        forum.app.get(f"{API}/topics", extra_environ=env)
    clock.now += 200
    forum.nobody.get("/topics")
    assert len(storage) == 1


def test_processes_that_share_a_redis_count_together(make_forum):
    with running_redis() as shared:
        here, there = (make_forum(rate_limit__storage=at, **THREE) for at in shared.addresses)
        answers = [forum.nobody.get("/topics") for forum in (here, there, here, there)]
    assert [answer.status_int for answer in answers] == [200, 200, 200, 429]
    assert answers[1].headers["RateLimit"].startswith('"default";r=1;t=')
    assert 0 < int(answers[3].headers["Retry-After"]) <= 60


def test_while_the_redis_is_away_everybody_is_let_in_and_the_log_says_so(make_forum, caplog):
    forum = make_forum(rate_limit__storage="redis://127.0.0.1:1/0", rate_limit__requests="1/hour")
    answers = [forum.nobody.get("/topics") for _ in range(3)]
    assert [answer.status_int for answer in answers] == [200] * 3
    assert limit_headers(answers[0]) == (None, None)
    assert [one.message.partition(":")[0] for one in caplog.records] == [
        "rate_limit.storage does not answer, nothing is counted"
    ]
