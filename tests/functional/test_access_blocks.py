"""What a blocked network may not do, and from when to when."""

from datetime import timedelta

import pytest

from forumsvc import clock
from tests.functional.blocking import ADDRESS, SUBSCRIBER, block, call, root_of, status, unblock
from tests.functional.conftest import MakeForum
from tests.functional.forum import API, Forum, Person, content
from tests.functional.statements import counting

BLOCKED = "Access from your network is blocked."
READ_ONLY = "From your network you may only read."
ACCOUNT = {"login": "nina", "email": "nina@example.org", "password": "tangled-wire-77"}
ELSEWHERE = "198.51.100.1"
FROM_THERE = {"REMOTE_ADDR": ADDRESS}
TOKEN = {"grant_type": "password", "username": "x", "password": "y"}


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    """A forum of its own: processes know the blocks by heart."""
    return make_forum(accounts__registration="open")


@pytest.fixture
def root(forum: Forum) -> Person:
    """An admin."""
    return root_of(forum)


def test_all_answers_nothing_to_the_network(forum, root, alice):
    block(root, severity="all")
    refused = call(forum.nobody, "GET", "/topics")
    assert (refused.status_int, refused.json) == (403, {"error": BLOCKED})
    assert status(alice) == 403
    assert call(alice, "POST", "/topics", {"title": "A"}).status_int == 403
    pages = ("/", "/topics/feed", "/robots.txt", "/docs", "/login", "/static/forum.css")
    for path in (*pages, "/.well-known/oauth-authorization-server", f"{API}/openapi.json"):
        assert forum.app.get(path, extra_environ=FROM_THERE, status="*").status_int == 403, path
    forum.app.post("/oauth/token", TOKEN, extra_environ=FROM_THERE, status=403)
    assert status(alice, address=ELSEWHERE) == 200


def test_a_browser_from_a_blocked_network_is_told_by_a_page(forum, root):
    block(root)
    environ = {**FROM_THERE, "HTTP_ACCEPT": "text/html"}
    page = forum.app.get("/", extra_environ=environ, status=403)
    assert page.content_type == "text/html"
    assert BLOCKED in page.text


def test_health_and_metrics_are_never_blocked(make_forum):
    forum = make_forum(metrics__enabled="true")
    block(root_of(forum))
    for path in ("/health", "/health/live", "/health/ready", "/metrics"):
        assert forum.app.get(path, extra_environ=FROM_THERE, status="*").status_int == 200, path


def test_an_admin_who_is_logged_in_is_never_blocked(forum, root):
    block_id = content(block(root))["id"]
    assert status(root) == 200
    assert call(root, "DELETE", f"/access_blocks/{block_id}").status_int == 200
    assert status(forum.nobody) == 200


def test_write_lets_the_network_read(forum, root, alice):
    node = forum.node()
    topic = forum.topic(alice, node)
    block(root, severity="write")
    assert status(alice, f"/topics/{topic}") == 200
    assert status(forum.nobody, f"/topics/{topic}") == 200
    refused = call(alice, "POST", f"/topics/{topic}/replies", {"body": "hello"})
    assert (refused.status_int, refused.json) == (403, {"error": READ_ONLY})
    assert call(forum.nobody, "POST", "/users", ACCOUNT).json == {"error": READ_ONLY}
    forum.app.post("/oauth/token", TOKEN, extra_environ=FROM_THERE, status=401)


def test_sign_up_refuses_new_accounts_alone(forum, root, alice):
    block(root, severity="sign_up")
    refused = call(forum.nobody, "POST", "/users", ACCOUNT)
    expected = (403, {"error": "Sign-up from your network is not possible."})
    assert (refused.status_int, refused.json) == expected
    node = forum.node()
    sent = {"title": "A title", "node_id": node, "body": "A body"}
    assert call(alice, "POST", "/topics", sent).status_int == 201
    assert call(forum.nobody, "POST", "/users", ACCOUNT, address=ELSEWHERE).status_int == 201


def test_the_hardest_of_several_blocks_holds(forum, root, alice):
    block(root, "203.0.113.0/24", "all")
    block(root, "203.0.113.7", "sign_up")
    assert status(alice) == 403
    block(root, "203.0.113.0/24", "write")
    assert status(alice) == 200
    assert call(alice, "POST", "/topics", {"title": "A"}).json == {"error": READ_ONLY}


@pytest.mark.parametrize(
    ("value", "inside", "outside"),
    [
        ("203.0.113.7", "203.0.113.7", "203.0.113.8"),
        ("203.0.113.7/30", "203.0.113.4", "203.0.113.8"),
        ("203.0.113.0/24", "::ffff:203.0.113.255", "203.0.112.255"),
        ("::ffff:203.0.113.7", "203.0.113.7", "203.0.113.8"),
        ("2001:db8:1:2::7", "2001:db8:1:2:ffff::1", "2001:db8:1:3::7"),
        ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"),
        ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"),
    ],
)
@pytest.mark.both_databases
def test_a_network_holds_its_addresses_and_no_others(forum, root, value, inside, outside):
    block(root, value)
    assert status(forum.nobody, address=inside) == 403
    assert status(forum.nobody, address=outside) == 200
    assert status(forum.nobody, address="not an address") == 200


@pytest.mark.both_databases
def test_a_block_ends_by_the_clock(forum, root, monkeypatch):
    end = clock.now() + timedelta(minutes=30)
    block(root, expires_at=clock.rfc3339(end))
    assert status(forum.nobody) == 403
    assert status(forum.nobody, "/users") == 403
    monkeypatch.setattr(clock, "now", lambda: end + timedelta(seconds=1))
    assert status(forum.nobody) == 200
    assert [one["active"] for one in content(root.get("/access_blocks"))] == [False]


@pytest.mark.both_databases
def test_another_process_sees_each_change_with_the_next_request(make_forum, forum, root, alice):
    """The second application reads no version but with what it reads anyway."""
    other = make_forum(accounts__registration="open")
    member, visitor = other.caller(alice.token), other.nobody
    for one in (member, visitor):
        assert status(one) == 200
    block_id = content(block(root))["id"]
    assert status(member) == 403
    unblock(root, block_id)
    assert status(visitor) == 200
    block_id = content(block(root))["id"]
    assert status(visitor) == 403
    unblock(root, block_id)
    assert call(visitor, "POST", "/users", ACCOUNT).status_int == 201
    block(root)
    assert call(visitor, "POST", "/users", ACCOUNT).json == {"error": BLOCKED}


@pytest.mark.parametrize("path", ["/topics", "/nodes", "/topics/{}", "/topics/{}/replies"])
@pytest.mark.both_databases
def test_another_process_refuses_the_next_visitor_who_reads_topics(
    make_forum, forum, root, alice, path
):
    shown = path.format(forum.topic(alice, forum.node()))
    other = make_forum()
    for _ in range(2):
        assert status(other.nobody, shown) == 200
    block(root)
    assert status(other.nobody, shown) == 403


@pytest.mark.both_databases
def test_a_visitor_whose_request_reads_no_version_is_refused_after_the_recheck(make_forum, root):
    other = make_forum(moderation__blocks_recheck_seconds="0")
    assert status(other.nobody, "/users") == 200
    block(root)
    assert status(other.nobody, "/users") == 403


@pytest.mark.both_databases
def test_no_read_has_a_statement_more_for_it(forum, root, alice):
    node = forum.node()
    topic = forum.topic(alice, node)
    paths = ("/topics", f"/topics/{topic}", "/users", "/nodes")

    def counts() -> list[int]:
        found = []
        for caller in (alice, forum.nobody):
            for path in paths:
                assert status(caller, path) == 200
                with counting(forum.database) as seen:
                    assert status(caller, path) == 200
                found.append(len(seen))
        return found

    before = counts()
    block(root, SUBSCRIBER)
    assert counts() == before
