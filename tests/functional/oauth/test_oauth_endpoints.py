"""What the endpoints make of bodies, methods and queries, whatever the grant."""

from forumsvc.models import LoginFailure
from tests.cases import each

from .application import PASSWORD, Application

FORM, JSON = "application/x-www-form-urlencoded", "application/json"


def test_json_is_accepted_too(forum, app):
    body = {**app.credentials, "grant_type": "password", "username": "ann", "password": PASSWORD}
    answer = forum.app.post_json("/oauth/token", {**body, "scope": None})
    assert (answer.json["scope"], answer.content_type) == ("read write", "application/json")


@each(
    ("kind", "body"),
    [
        (FORM, b"grant_type=%ff"),
        (FORM, b"grant_type=\xff"),
        (FORM, b"client_id=a&client_id=a"),
        (JSON, b"{"),
        (JSON, b"[]"),
        (JSON, b'{"client_id": "\\ud800"}'),
        (JSON, b'{"client_id": "a\\u0000"}'),
        (JSON, b'{"client_id": "1", "client_id": "2"}'),
        ("text/plain", b"grant_type=password"),
        ("multipart/form-data", b"x"),
    ],
)
def test_a_body_that_cannot_be_read_is_an_invalid_request(forum, kind, body):
    for name in ("token", "revoke", "introspect"):
        answer = forum.app.post(f"/oauth/{name}", body, headers={"Content-Type": kind}, status=400)
        assert answer.json["error"] == "invalid_request"
        assert isinstance(answer.json["error_description"], str)


@each(
    "secret",
    ["x" * 1025, "x" * 100_000, "\u00fc" * 5000, "\U0001f600" * 300, "\x01\x7f\u202e", "\0"],
)
def test_huge_and_strange_credentials_are_wrong_and_nothing_worse(oauth, secret):
    for name in ("username", "password", "client_id", "client_secret", "scope"):
        answer = oauth.password(**{name: secret})
        assert answer.status_int in (400, 401), (name, answer.text)
        assert answer.json["error"].startswith("invalid_")
    for name in ("refresh_token", "code"):
        answer = oauth.call("token", **oauth.app, grant_type="refresh_token", **{name: secret})
        assert answer.status_int == 400
    for name in ("introspect", "revoke"):
        assert oauth.call(name, **oauth.app, token=secret).status_int in (200, 400)
    pair = f"{oauth.app['client_id']}:{secret}"
    assert oauth.call("token", grant_type="password", basic=pair).status_int in (400, 401)
    assert oauth.password().status_int == 200


def test_credentials_in_the_query_are_rejected(forum, app):
    query = f"?grant_type=password&username=ann&password={PASSWORD}".replace(" ", "+")
    answer = forum.app.post("/oauth/token" + query, app.credentials, status=400)
    assert answer.json["error"] == "invalid_request"


@each("name", ["token", "revoke", "introspect"])
def test_the_endpoints_accept_only_post(forum, name):
    answer = forum.app.get(f"/oauth/{name}", status=405)
    assert "POST" in answer.headers["Allow"]
    assert isinstance(answer.json["error"], str)


def test_a_parameter_of_an_authorization_request_comes_once(oauth):
    for name in ("client_id", "redirect_uri"):
        doubled = (name, {**oauth.app, "redirect_uri": "https://app.example/cb"}[name])
        assert oauth.authorize(oauth.app, doubled).status_int == 400
    for name, state in (("scope", "a state"), ("state", None)):
        sent = oauth.authorize(oauth.app, (name, "read"), scope="read")
        assert (sent.json["error"], sent.json.get("state")) == ("invalid_request", state)


def test_failures_are_counted_for_all_processes_to_see(make_forum):
    one, other = (make_forum(accounts__login_failures="3") for _ in range(2))
    app, same = Application(one), Application(other)
    assert [app.log_in("nobody", "wrong").status_int for _ in range(4)] == [400, 400, 400, 429]
    assert one.count(LoginFailure) == 3
    answer = same.log_in("nobody", "wrong")
    assert (answer.status_int, answer.headers["Retry-After"]) == (429, "60")


def test_the_response_to_a_token_in_the_query_is_private(forum, app):
    token = app.log_in().json["access_token"]
    for path in ("/api/v3/hello", "/api/v3/topics"):
        answer = forum.app.get(path, {"access_token": token})
        assert answer.headers["Cache-Control"] == "private, no-cache"
    wrong = forum.app.get("/api/v3/hello", {"access_token": "wrong"}, status=401)
    assert wrong.headers["Cache-Control"] == "no-store"
