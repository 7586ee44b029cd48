"""The OAuth endpoints over HTTP."""

import base64

from forumsvc.models import LoginFailure
from tests.cases import each
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum

from .application import PASSWORD, Application
from .conftest import add_ann


def test_the_reference_flow_logs_in_and_says_hello(forum: Forum, app: Application) -> None:
    answer = app.log_in()
    assert answer.status_int == 200
    assert answer.content_type == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    hello = forum.app.get("/api/v3/hello", {"access_token": answer.json["access_token"]})
    assert hello.json == {"current_user": "Ann"}


def test_json_is_accepted_too(forum: Forum, app: Application) -> None:
    body = {
        **app.credentials,
        "grant_type": "password",
        "username": "ann@example.org",
        "password": PASSWORD,
        "scope": None,
    }
    answer = forum.app.post_json("/oauth/token", body)
    assert answer.json["scope"] == "read write"


def test_http_basic_authenticates_the_client(forum: Forum, app: Application) -> None:
    pair = ":".join(app.credentials.values())
    headers = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
    form = {"grant_type": "password", "username": "ann", "password": PASSWORD}
    assert forum.app.post("/oauth/token", form, headers=headers).status_int == 200


def test_errors_have_the_format_of_the_rfc(forum: Forum, app: Application) -> None:
    wrong = app.log_in(password="wrong")
    assert (wrong.status_int, wrong.json["error"]) == (400, "invalid_grant")
    assert wrong.headers["Cache-Control"] == "no-store"
    stranger = forum.app.post("/oauth/token", {"client_id": "x"}, status=401)
    assert stranger.json["error"] == "invalid_client"
    assert stranger.headers["WWW-Authenticate"].startswith("Basic ")


@each(
    ("kind", "body"),
    [
        ("application/x-www-form-urlencoded", b"grant_type=%ff"),
        ("application/x-www-form-urlencoded", b"grant_type=\xff"),
        ("application/json", b"{"),
        ("application/json", b"[]"),
        ("application/json", b'{"client_id": "\\ud800"}'),
        ("application/json", b'{"client_id": "a\\u0000"}'),
        ("text/plain", b"grant_type=password"),
        ("multipart/form-data", b"x"),
    ],
)
def test_a_body_that_cannot_be_read_is_an_invalid_request(
    forum: Forum, kind: str, body: bytes
) -> None:
    for name in ("token", "revoke", "introspect"):
        answer = forum.app.post(f"/oauth/{name}", body, headers={"Content-Type": kind}, status=400)
        assert answer.json["error"] == "invalid_request"
        assert isinstance(answer.json["error_description"], str)


@each("secret", ["x" * 100_000, "\u00fc" * 5000, "\U0001f600" * 300, "\x01\x7f\u202e", "\0"])
def test_huge_and_strange_credentials_are_wrong_and_nothing_worse(
    app: Application, secret: str
) -> None:
    good = {**app.credentials, "grant_type": "password", "username": "ann", "password": PASSWORD}
    for name in ("username", "password", "client_id", "client_secret", "scope"):
        answer = app.forum.app.post("/oauth/token", {**good, name: secret}, status="*")
        assert answer.status_int in (400, 401), (name, answer.text)
        assert answer.json["error"].startswith("invalid_")
    assert app.log_in().status_int == 200


def test_credentials_in_the_query_are_rejected(forum: Forum, app: Application) -> None:
    query = f"?grant_type=password&username=ann&password={PASSWORD}".replace(" ", "+")
    answer = forum.app.post("/oauth/token" + query, app.credentials, status=400)
    assert answer.json["error"] == "invalid_request"


@each("name", ["token", "revoke", "introspect"])
def test_the_endpoints_accept_only_post(forum: Forum, name: str) -> None:
    answer = forum.app.get(f"/oauth/{name}", status=405)
    assert "POST" in answer.headers["Allow"]
    assert isinstance(answer.json["error"], str)


def test_the_revocation_on_reuse_is_committed(forum: Forum, app: Application) -> None:
    first = app.log_in().json
    second = app.refresh(first["refresh_token"]).json
    answer = app.refresh(first["refresh_token"])
    assert (answer.status_int, answer.json["error"]) == (400, "invalid_grant")
    assert "X-Tm" not in answer.headers
    hello = forum.app.get("/api/v3/hello", {"access_token": second["access_token"]}, status=401)
    assert hello.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'


def test_two_tabs_that_refresh_at_once_stay_logged_in(make_forum: MakeForum) -> None:
    forum = make_forum(oauth__refresh_grace="60")
    add_ann(forum)
    app = Application(forum)
    first = app.log_in(password=PASSWORD).json
    tabs = [app.refresh(first["refresh_token"]).json for _ in range(2)]
    for tab in tabs:
        assert forum.caller(tab["access_token"]).get("/hello").status_int == 200
    again = [app.refresh(tab["refresh_token"]).json for tab in tabs]
    for tab in again:
        assert forum.caller(tab["access_token"]).get("/hello").status_int == 200


def test_any_other_error_is_rolled_back(app: Application) -> None:
    issued = app.log_in().json
    wrong = app.post(
        "token", grant_type="refresh_token", refresh_token=issued["refresh_token"], scope="admin"
    )
    assert wrong.json["error"] == "invalid_scope"
    assert app.refresh(issued["refresh_token"]).status_int == 200


def test_failures_are_counted_for_all_processes_to_see(make_forum: MakeForum) -> None:
    one, other = (make_forum(accounts__login_failures="3") for _ in range(2))
    app, same = Application(one), Application(other)
    assert [app.log_in("nobody", "wrong").status_int for _ in range(4)] == [400, 400, 400, 429]
    assert one.count(LoginFailure) == 3
    answer = same.log_in("nobody", "wrong")
    assert answer.status_int == 429
    assert answer.headers["Retry-After"] == "60"


def test_revoking_a_token_returns_an_empty_object(forum: Forum, app: Application) -> None:
    issued = app.log_in().json
    answer = app.post("revoke", token=issued["access_token"])
    assert (answer.status_int, answer.json) == (200, {})
    forum.app.get("/api/v3/hello", {"access_token": issued["access_token"]}, status=401)
    assert app.post("introspect", token=issued["access_token"]).json == {"active": False}


@each("sent", [{}, {"client_id"}, {"client_id", "token"}, {"token"}])
def test_a_revocation_without_credentials_is_400_and_is_not_a_reason_to_revoke_again(
    forum: Forum, app: Application, sent: set[str]
) -> None:
    # What angular-oauth2 3.0.1 sends where it knows no secret, and no token any more. It logs out
    # and revokes again after each 401, invalid_request or invalid_grant.
    issued = app.log_in().json
    form = {**app.credentials, "token": issued["refresh_token"]}
    known = {name: value for name, value in form.items() if name in sent}
    answer = forum.app.post("/oauth/revoke", known, status=400)
    assert answer.json["error"] == "invalid_client"
    assert "WWW-Authenticate" not in answer.headers
    assert app.refresh(issued["refresh_token"]).status_int == 200


def test_wrong_credentials_in_the_header_of_a_revocation_are_401(
    forum: Forum, app: Application
) -> None:
    headers = {"Authorization": "Basic " + base64.b64encode(b"app:wrong").decode()}
    answer = forum.app.post("/oauth/revoke", {"token": "x"}, headers=headers, status=401)
    assert answer.json["error"] == "invalid_client"
    assert answer.headers["WWW-Authenticate"].startswith("Basic ")


def test_a_token_of_the_client_itself_reads_what_is_public(forum: Forum) -> None:
    robot = Application(forum, grants=("client_credentials",))
    caller = forum.caller(robot.post("token", grant_type="client_credentials").json["access_token"])
    assert caller.get("/topics").status_int == 200
    assert caller.get("/hello").status_int == 403
    assert caller.post("/topics", title="x", body="y", node_id=forum.node()).status_int == 403


def test_the_metadata_is_where_rfc_8414_puts_it(forum: Forum, make_forum: MakeForum) -> None:
    path = "/.well-known/oauth-authorization-server"
    metadata = forum.app.get(path)
    assert metadata.content_type == "application/json"
    assert metadata.json["issuer"] == "http://localhost"
    elsewhere = make_forum(site__url="https://forum.example/")
    assert elsewhere.app.get(path).json["token_endpoint"] == "https://forum.example/oauth/token"


def test_the_response_to_a_token_in_the_query_is_private(forum: Forum, app: Application) -> None:
    token = app.log_in().json["access_token"]
    for path in ("/api/v3/hello", "/api/v3/topics"):
        answer = forum.app.get(path, {"access_token": token})
        assert answer.headers["Cache-Control"] == "private, no-cache"
    wrong = forum.app.get("/api/v3/hello", {"access_token": "wrong"}, status=401)
    assert wrong.headers["Cache-Control"] == "no-store"


def test_a_client_gets_the_scope_admin_only_where_the_request_names_it(forum: Forum) -> None:
    add_ann(forum)
    app = Application(forum, scopes=("read", "write", "admin"))
    assert app.log_in().json["scope"] == "read write"
    named = {"grant_type": "password", "username": "ann", "password": PASSWORD, "scope": "admin"}
    assert app.post("token", **named).json["scope"] == "admin"
    refused = Application(forum).post("token", **named)
    assert (refused.status_int, refused.json["error"]) == (400, "invalid_scope")


def test_a_client_that_may_administer_and_nothing_else_need_not_say_so(forum: Forum) -> None:
    add_ann(forum)
    assert Application(forum, scopes=("admin",)).log_in().json["scope"] == "admin"
