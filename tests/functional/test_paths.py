"""Paths and methods: which paths exist, and which methods they allow."""

from tests.cases import each
from tests.functional.forum import API
from tests.functional.raw import raw

EMPTY = {"error": "There is nothing here."}


NOWHERE = [
    *("/api", "/api/v3x", "/api/v3topics", "/api/v4/topics", "/api/v3/nothing", "/api/v3"),
    *("/api/v3/topics/x", "/api/v3/topics/1/x", "/api/v3/users/1", "/api/v3/users/nobody"),
    *("/api/v3//topics", "/api/v3/topics//1", "/api/v3/./topics", "/api/v3/users/../topics"),
    *("/api/v3/topics//", "/api/v3/topics/%2e%2e/nodes", "/api/v3/topics/%2F"),
    *("/api/v3/topics/1/follow/x", "/api/v3/topics/1/@@follow", "/api/v3/topics/1/x/../follow"),
    *("/api/v3/@@hello", "/api/v3/topics/@@", "/API/V3/topics", "/api/v3/Topics"),
    *("/api/v3/topics.xml", "/api/v3/topics.json.json", "/api/v3/.json"),
]


@each("path", NOWHERE)
@each("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_an_unknown_path_is_404(forum, path, method):
    answer = raw(forum, method, path)
    assert (answer.status_int, answer.json) == (404, EMPTY)


ROUTES = [
    *("/health", "/docs", "/topics/{topic}", "/robots.txt", "/oauth/token", "/metrics", "/login"),
    *("/static/forum.css", "/photos/x", f"{API}/topics/{{topic}}", f"{API}/users/alice"),
]
CONTROLS = [
    "%0a",
    "%0A%0A",
    "%0d",
    "%00",
    "%1f",
    "%7f",
    "%c2%85",
    "%C2%80",
    "%e2%80%a8",
    "%E2%80%a9",
]
CONTROL = {"error": "the path holds a control character"}


@each("path", ROUTES)
def test_a_path_holds_no_control_character(forum, alice, topic, path):
    for end in CONTROLS:
        answer = raw(forum, "GET", path.format(topic=topic) + end, {"Accept": "application/json"})
        assert (answer.status_int, answer.json) == (400, CONTROL), end
    sent = {"REQUEST_URI": "/heal\tth"}
    assert forum.app.get("/health", extra_environ=sent, status=400).json == CONTROL


@each("sent", ["/api/v3/topics%2F{topic}", "/api%2fv3/topics", "/topics%2f{topic}", "/x%2f"])
def test_an_escaped_slash_separates_nothing(forum, alice, topic, sent):
    uri = {"REQUEST_URI": sent.format(topic=topic)}
    answer = forum.app.get(f"{API}/topics/{topic}", extra_environ=uri, status=404)
    assert answer.json == EMPTY


@each("end", ["", "/", ".json", ".json/"])
@each("place", ["", "/{topic}", "/{topic}/replies"])
def test_a_trailing_json_or_slash_changes_nothing(alice, topic, place, end):
    path = f"/topics{place}".format(topic=topic)
    answers = [alice.get(path), alice.get(path + end)]
    assert [one.status_int for one in answers] == [200, 200]
    expected, shown = (one.json for one in answers)
    if isinstance(shown, dict):
        assert shown.pop("hits") == expected.pop("hits") + 1
    assert shown == expected


def test_a_header_cannot_move_the_root(forum, topic):
    headers = {"X-Vhm-Root": f"/topics/{topic}"}
    assert raw(forum, "GET", f"{API}/action", headers).status_int == 404
    assert raw(forum, "GET", f"{API}/topics", headers).json[0]["id"] == topic


ALLOWED = {
    "/hello": "GET, HEAD, OPTIONS",
    "/users": "GET, HEAD, OPTIONS, POST",
    "/users/alice": "GET, HEAD, OPTIONS, PUT",
    "/users/alice/follow": "OPTIONS, POST",
    "/nodes": "GET, HEAD, OPTIONS, POST",
    "/topics": "GET, HEAD, OPTIONS, POST",
    "/topics/{topic}": "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT",
    "/topics/{topic}/replies": "GET, HEAD, OPTIONS, POST",
    "/topics/{topic}/action": "OPTIONS, POST",
    "/photos": "GET, HEAD, OPTIONS, POST",
    "/likes": "DELETE, OPTIONS, POST",
    "/notifications": "GET, HEAD, OPTIONS",
    "/notifications/read": "OPTIONS, POST",
    "/notifications/all": "DELETE, OPTIONS",
}


@each("path", ALLOWED)
def test_a_known_path_refuses_other_methods_and_names_its_own(alice, topic, path):
    allowed = ALLOWED[path].split(", ")
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH"} - set(allowed):
        answer = alice.app.request(
            API + path.format(topic=topic),
            method=method,
            headers={"Authorization": f"Bearer {alice.token}"},
            expect_errors=True,
        )
        assert (answer.status_int, answer.headers["Allow"]) == (405, ALLOWED[path]), method
        assert answer.json == {"error": f"{method} is not among {ALLOWED[path]}."}


@each("path", ALLOWED)
def test_options_lists_the_methods(forum, alice, topic, path):
    mine = {"Authorization": f"Bearer {alice.token}"}
    answer = raw(forum, "OPTIONS", API + path.format(topic=topic), mine)
    assert (answer.status_int, answer.headers["Allow"], answer.body) == (204, ALLOWED[path], b"")


@each("path", ["/topics", "/topics/{topic}", "/hello", "/users/me"])
def test_head_is_get_without_the_body(alice, topic, path):
    got = alice.get(path.format(topic=topic))
    head = alice.call("HEAD", path.format(topic=topic))
    assert (head.status_int, head.body) == (200, b"")
    for name in ("Content-Type", "Content-Length"):
        assert head.headers[name] == got.headers[name]


def test_head_of_what_is_refused_has_its_status_and_no_body(forum):
    head = forum.nobody.call("HEAD", "/hello")
    assert (head.status_int, head.body) == (401, b"")
    assert head.headers["WWW-Authenticate"] == "Bearer"


def test_addresses_stand_under_the_sites_own(make_forum):
    sited = make_forum(site__url="https://forum.example.org/sub/")
    alice = sited.person("alice")
    assert alice.get("/users/me").json["avatar_url"].startswith("https://forum.example.org/sub/")
    made = alice.post("/topics", title="T", node_id=sited.node(), body="B")
    assert made.headers["Location"].startswith("https://forum.example.org/sub/api/v3/topics/")
