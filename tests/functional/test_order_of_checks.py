"""Access tokens: where a request may carry them; and the order of checks."""

import sqlite3
from contextlib import closing
from urllib.parse import quote

from tests.cases import each
from tests.databases import on_sqlite
from tests.functional.forum import API
from tests.functional.raw import raw

INVALID = 'Bearer error="invalid_token"'


@each("word", ["", "null", "undefined"])
@each("place", ["query", "body", "header"])
def test_what_careless_clients_send_counts_as_no_token(forum, word, place):
    query = f"?access_token={word}" if place == "query" else ""
    body = f"access_token={word}".encode() if place == "body" else b""
    headers = {"Authorization": f"Bearer {word}"} if place == "header" else {}
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    read = raw(forum, "GET", f"{API}/topics{query}", headers)
    assert read.json == []
    write = raw(forum, "POST", f"{API}/topics{query}", headers, body)
    assert (write.status_int, write.headers["WWW-Authenticate"]) == (401, "Bearer")


@each("scheme", ["Bearer", "bearer", "BEARER", "Bearer ", "Basic", "Token", "OAuth", ""])
def test_only_the_bearer_scheme_is_ours(alice, forum, scheme):
    answer = raw(forum, "GET", f"{API}/hello", {"Authorization": f"{scheme} {alice.token}"})
    assert answer.status_int == (200 if scheme.strip().lower() == "bearer" else 401)


def test_a_token_may_come_in_query_form_or_json(forum, alice, topic):
    path = f"{API}/topics/{topic}/follow"
    form = f"access_token={alice.token}".encode()
    json = f'{{"access_token": "{alice.token}"}}'.encode()
    urlencoded = {"Content-Type": "application/x-www-form-urlencoded"}
    assert raw(forum, "POST", f"{path}?access_token={alice.token}").status_int == 200
    assert raw(forum, "POST", path, urlencoded, form).status_int == 200
    assert raw(forum, "POST", path, {"Content-Type": "application/json"}, json).status_int == 200


def test_the_same_token_twice_is_one(forum, alice):
    headers = {"Authorization": f"Bearer {alice.token}"}
    path = f"{API}/hello?access_token={alice.token}&access_token={alice.token}"
    assert raw(forum, "GET", path, headers).status_int == 200


@each("other", ["wrong", "{another}"])
@each("place", ["query", "body", "header"])
def test_two_different_tokens_are_refused_whatever_they_are_worth(forum, alice, other, place):
    other = other.format(another=forum.token(alice.id))
    path = f"{API}/topics?access_token={alice.token}"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    body = b""
    if place == "query":
        path += f"&access_token={other}"
    elif place == "body":
        body = f"access_token={other}".encode()
    else:
        headers["Authorization"] = f"Bearer {other}"
    answer = raw(forum, "POST", path, headers, body)
    assert (answer.status_int, "two different" in answer.json["error"]) == (400, True)


@each("token", ["x", "ü", "a b", "\x01", "x" * 5000, "%00"])
@each("path", ["/hello", "/topics", "/nothing", "/topics/7", "/notifications"])
def test_a_bad_token_is_401_everywhere(forum, path, token):
    answer = raw(forum, "GET", f"{API}{path}?access_token={quote(token)}")
    assert (answer.status_int, answer.headers["WWW-Authenticate"]) == (401, INVALID)
    assert answer.json == {"error": "The access token is wrong, expired or revoked."}


BAD = {"Authorization": "Bearer wrong"}
BROKEN = {"Content-Type": "application/json"}


def test_unreadable_comes_before_the_bad_token(forum):
    assert raw(forum, "POST", f"{API}/nothing", {**BAD, **BROKEN}, b"{").status_int == 400
    assert raw(forum, "GET", f"{API}/nothing?x=%ff", BAD).status_int == 400
    assert raw(forum, "GET", f"{API}/%ff", BAD).status_int == 400


def test_too_large_comes_before_the_bad_token(make_forum):
    forum = make_forum(http__max_body="1024")
    assert raw(forum, "POST", f"{API}/nothing", BAD, b"x" * 1025).status_int == 413


def test_the_bad_token_comes_before_the_resource(forum):
    assert raw(forum, "GET", f"{API}/topics/7", BAD).status_int == 401


@on_sqlite
@each(
    ("method", "path", "status"),
    [("POST", "/nowhere", 404), ("POST", "/topics/x/replies", 404), ("DELETE", "/topics", 405)],
)
def test_the_resource_and_the_method_come_before_the_wait_for_other_writers(
    forum, alice, method, path, status
):
    with closing(sqlite3.connect(str(forum.database.url.database), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert alice.call(method, path, {"body": "Hello, @alice"}).status_int == status


def test_a_newcomer_may_open_topics_once_the_time_is_over(make_forum):
    forum = make_forum(accounts__newbie_minutes="60")
    node = forum.node()
    ages = {"new": 59 / 1440, "old": 61 / 1440}
    for login, age_days in ages.items():
        person = forum.person(login, age_days=age_days)
        answer = person.post("/topics", title="T", node_id=node, body="B")
        assert answer.status_int == (403 if login == "new" else 201)
        assert person.get("/users/me").json["level"] == ("newbie" if login == "new" else "member")
