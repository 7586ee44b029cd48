"""The security headers of every page, and the error pages."""

import pytest

from tests.cases import each
from tests.functional.conftest import MakeForum

from .visitor import Visitor, problem

PAGES = ["/login", "/signup", "/password/forgotten", "/password/reset", "/applications"]
PAGES += ["/password", "/oauth/authorize", "/oauth/authorize?client_id=x"]


@each("path", ["/", *PAGES])
def test_every_page_forbids_frames_foreign_scripts_and_caching(visitor: Visitor, path: str) -> None:
    headers = visitor.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["style-src"] == policy["form-action"] == "'self'"
    # The pages of the forum have one script, those of accounts none.
    assert policy.get("script-src") == ("'self'" if path == "/" else None)
    assert headers["Cache-Control"] == ("public, no-cache" if path == "/" else "no-store")
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"


@each("path", ["/", *PAGES])
def test_no_page_has_inline_scripts_or_styles(visitor: Visitor, path: str) -> None:
    page = visitor.app.get(path, status="*")
    page = page.follow() if page.status_int == 303 else page
    assert page.content_type == "text/html"
    assert page.html.html["lang"] == "en"
    for element in page.html.find_all(True):
        assert element.name != "style"
        assert element.name != "script" or element["src"].startswith("/static/forum.js?v=")
        assert not [name for name in element.attrs if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("path", ["/signup", "/oauth/authorize", "/password/reset"])
def test_an_error_is_a_page_for_a_browser_and_json_for_the_rest(
    make_forum: MakeForum, path: str
) -> None:
    forum = make_forum()
    page = Visitor(forum).get(path)
    assert page.content_type == "text/html"
    answer = forum.app.get(path, status=page.status_int)
    assert answer.content_type == "application/json"
    said = answer.json.get("error_description", answer.json["error"])
    assert problem(page) == said


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "'page' must be an integer from 1 to 1000000, not 'abc'."),
        ("zh", "'page'必须是1 到 1000000 的整数，而不是 'abc'。"),
    ],
)
def test_a_wrong_address_is_told_in_a_sentence(
    visitor: Visitor, language: str, sentence: str
) -> None:
    accepted = {"Accept-Language": language}
    page = visitor.app.get("/topics", {"page": "abc"}, headers=accepted, status=400)
    assert problem(page) == sentence


NOWHERE = {
    "/nothing": 404,
    "/topics/1": 404,
    "/docs/guide/nothing": 404,
    "//metrics": 404,
    "/photos/ab/nothing.png": 404,
    "/oauth/token": 405,
    "/x%ff": 400,
}


@pytest.mark.parametrize(("path", "status"), NOWHERE.items())
def test_an_error_of_every_path_outside_the_api_is_a_page_for_a_browser(
    visitor: Visitor, path: str, status: int
) -> None:
    page = visitor.get(path)
    assert (page.status_int, page.content_type) == (status, "text/html")
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert page.headers["Cache-Control"] == "no-store"
    assert len(page.headers["X-Request-Id"]) == 32
    told = visitor.forum.app.get(path, status=status)
    assert told.content_type == "application/json"
    assert problem(page) == told.json["error"]
    assert page.html.find("a", string="Go to the latest topics")["href"] == "/"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/v3/nothing", 404), ("GET", "/api/v4", 404), ("POST", "/oauth/token", 401)],
)
def test_oauth_posts_get_json_even_if_they_accept_html(
    visitor: Visitor, method: str, path: str, status: int
) -> None:
    answer = visitor.app.request(path, method=method, status=status)
    assert answer.content_type == "application/json"
    assert answer.json["error"]


def test_a_wrong_method_gets_the_allowed_ones(visitor: Visitor) -> None:
    answer = visitor.app.put("/login", status=405)
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert answer.content_type == "text/html"


def test_a_server_error_is_a_page_without_details_and_an_error_page_needs_no_database(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("fell over")

    visitor.get("/login")
    monkeypatch.setattr("forumsvc.sessions.browser_sessions.find", broken)
    page = visitor.get("/login")
    assert (page.status_int, page.content_type) == (500, "text/html")
    assert "fell over" not in page.text
