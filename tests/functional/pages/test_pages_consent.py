"""/oauth/authorize: the consent page."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from webtest import TestResponse

from forumsvc.models import OAuthCode
from forumsvc.oauth import clients
from tests.functional.forum import Forum
from tests.functional.oauth.application import Application

from .visitor import PASSWORD, Visitor, expire_sessions, form_of, problem, sent

URI = "https://app.example/back"


@pytest.fixture
def app(forum: Forum, ann: int) -> Application:
    return Application(forum, redirect_uris=[URI])


def open_consent(visitor: Visitor, app: Application, **parameters: str) -> TestResponse:
    """Open the page with an authorization request; an empty value omits a parameter."""
    request = {
        "response_type": "code",
        "client_id": app.credentials["client_id"],
        "redirect_uri": URI,
        "state": "xyz",
        "scope": "read",
        **parameters,
    }
    return visitor.get("/oauth/authorize", **{k: v for k, v in request.items() if v})


def redirect_parameters(response: TestResponse) -> dict[str, str]:
    assert response.status_int == 303, response.text
    assert response.location.startswith(f"{URI}?")
    query = parse_qs(urlsplit(response.location).query, strict_parsing=True)
    assert all(len(values) == 1 for values in query.values())
    return {name: values[0] for name, values in query.items()}


def test_the_page_shows_client_scopes_and_destination(visitor, app):
    visitor.log_in()
    page = open_consent(visitor, app)
    text = " ".join(page.html.main.text.split())
    assert page.html.h1.text == "Allow app to use your account?"
    assert "logged in as ann" in text
    assert "redirected to app.example. You can revoke" in text
    assert "Read everything" in text
    assert "Write on your behalf" not in text
    assert [button.text for button in page.html.main.find_all("button")] == ["Allow", "Cancel"]


def test_allow_issues_a_code_for_a_token(visitor, app):
    visitor.log_in()
    params = redirect_parameters(
        form_of(open_consent(visitor, app)).submit("answer", value="allow")
    )
    assert (params["state"], params["iss"]) == ("xyz", "http://localhost")
    issued = app.post(
        "token", grant_type="authorization_code", code=params["code"], redirect_uri=URI
    ).json
    assert issued["scope"] == "read"
    assert visitor.forum.caller(issued["access_token"]).get("/hello").status_int == 200


@pytest.mark.parametrize("button", ["cancel", "anything"])
def test_anything_but_allow_denies(visitor, app, button):
    visitor.log_in()
    form = form_of(open_consent(visitor, app))
    answer = visitor.app.post(
        "/oauth/authorize", [*form.submit_fields(), ("answer", button)], status="*"
    )
    params = redirect_parameters(answer)
    assert (params["error"], params["state"], params["iss"]) == (
        "access_denied",
        "xyz",
        "http://localhost",
    )
    assert visitor.forum.count(OAuthCode) == 0


def test_an_invalid_request_needs_no_login(visitor, app):
    params = redirect_parameters(open_consent(visitor, app, response_type="token"))
    assert (params["error"], params["state"]) == ("unsupported_response_type", "xyz")
    assert params["iss"] == "http://localhost"
    assert (
        redirect_parameters(open_consent(visitor, app, scope="everything"))["error"]
        == "invalid_scope"
    )


def test_an_invalid_request_of_a_members_application_needs_a_login(forum, visitor, ann):
    owned = Application(forum, redirect_uris=[URI], owner_id=ann, grants=("authorization_code",))
    page = open_consent(visitor, owned, response_type="token")
    assert page.status_int == 303
    assert urlsplit(page.location).path == "/login"
    visitor.log_in()
    params = redirect_parameters(open_consent(visitor, owned, response_type="token"))
    assert params["error"] == "unsupported_response_type"


@pytest.mark.parametrize(
    "bad",
    [
        {"client_id": "nobody"},
        {"client_id": ""},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": "https://evil.example/", "scope": "nonsense"},
        {"redirect_uri": f"{URI}/../evil"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": "https://app.example@evil.example/back"},
        {"redirect_uri": "//evil.example"},
    ],
)
def test_an_invalid_client_or_redirect_uri_shows_an_error_page(visitor, app, bad):
    visitor.log_in()
    page = open_consent(visitor, app, **bad)
    assert page.status_int == 400
    assert "Location" not in page.headers
    assert problem(page)
    answer = visitor.forum.app.get("/oauth/authorize", {"response_type": "code", **bad}, status=400)
    assert answer.json["error"] == "invalid_request"


def test_the_request_is_validated_again_on_submit(visitor, app):
    visitor.log_in()
    form = form_of(open_consent(visitor, app))
    form["redirect_uri"] = "https://evil.example/"
    answer = form.submit("answer", value="allow", status=400)
    assert "Location" not in answer.headers


STATES = [
    "a\r\nSet-Cookie: evil=1",
    "a\nb",
    '"><script>alert(1)</script>',
    "ä€😀",
    "a b+c%20&d=e#f",
    "x" * 4000,
]


@pytest.mark.parametrize("state", STATES)
def test_the_state_is_returned_exactly_and_escaped(visitor, app, state):
    visitor.log_in()
    page = open_consent(visitor, app, state=state)
    assert page.html.find("script") is None
    # A browser turns every line break in a form into CRLF.
    answer = form_of(page).submit("answer", value="allow", status="*")
    assert redirect_parameters(answer)["state"].replace("\r\n", "\n") == state.replace("\r\n", "\n")
    assert "evil" not in answer.headers.get("Set-Cookie", "")
    assert redirect_parameters(open_consent(visitor, app, state=state, scope="x"))["state"] == state


def test_the_login_leads_back_to_the_same_request(visitor, app):
    login = open_consent(visitor, app, state="ä & b").follow()
    assert login.html.h1.text == "Log in"
    page = sent(form_of(login), username="ann", password=PASSWORD).follow()
    params = redirect_parameters(form_of(page).submit("answer", value="allow"))
    assert params["state"] == "ä & b"


def test_a_session_that_expires_meanwhile_leads_to_the_login_and_back(visitor, app):
    visitor.log_in()
    form = form_of(open_consent(visitor, app, state="still here"))
    expire_sessions(visitor.forum)
    login = form.submit("answer", value="allow")
    assert login.location.startswith("/login?next=%2Foauth%2Fauthorize")
    assert visitor.forum.count(OAuthCode) == 0
    page = sent(form_of(login.follow()), username="ann", password=PASSWORD).follow()
    assert (
        redirect_parameters(form_of(page).submit("answer", value="allow"))["state"] == "still here"
    )


def test_a_duplicate_parameter_is_rejected(visitor, app):
    visitor.log_in()
    client_id = app.credentials["client_id"]
    address = f"/oauth/authorize?client_id={client_id}&client_id={client_id}&response_type=code"
    assert visitor.get(address).status_int == 400
    params = redirect_parameters(
        visitor.get(f"/oauth/authorize?client_id={client_id}&state=a&state=b")
    )
    assert params["error"] == "invalid_request"


URIS = ("http://127.0.0.1:8001/x", "com.example.app:/done", "https://App.Example/x;y")


@pytest.mark.parametrize("uri", URIS)
def test_the_csp_allows_redirects_to_the_client_and_from_there(forum, visitor, ann, uri):
    visitor.log_in()
    page = open_consent(visitor, Application(forum, redirect_uris=[uri]), redirect_uri=uri)
    policy = page.headers["Content-Security-Policy"]
    assert "form-action" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    answer = form_of(page).submit("answer", value="allow")
    assert answer.location.startswith(f"{uri}?code=")


@pytest.mark.parametrize("path", ["/login", "/signup"])
def test_only_a_form_on_the_way_to_an_application_may_be_redirected_elsewhere(visitor, path):
    for onward, is_free in (("/oauth/authorize?client_id=x", True), ("/topics", False)):
        policy = visitor.get(path, next=onward).headers["Content-Security-Policy"]
        assert ("form-action" not in policy) == is_free, onward


def test_names_of_clients_are_escaped(forum, visitor, ann):
    with forum.database.session.begin() as db:
        made = clients.create(
            db, "<b>app</b> & co", grants=["authorization_code"], redirect_uris=[URI]
        )
    visitor.log_in()
    app: Any = type("Named", (), {"credentials": {"client_id": made.client_id}})
    page = open_consent(visitor, app)
    assert page.html.h1.find("b") is None
    assert "<b>app</b> & co" in page.html.h1.text
