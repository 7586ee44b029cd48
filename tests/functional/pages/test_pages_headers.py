"""The security headers of every page, and the error pages."""

import re

import pytest

from tests.cases import each

from .community import Community, settle
from .visitor import Visitor, problem, with_password

PAGES = ["/login", "/signup", "/password/forgotten", "/password/reset", "/applications"]
PAGES += ["/password", "/oauth/authorize", "/oauth/authorize?client_id=x"]


@each("path", ["/", *PAGES])
def test_every_page_forbids_frames_foreign_scripts_and_caching(visitor, path):
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
def test_no_page_has_inline_scripts_or_styles(visitor, path):
    page = visitor.app.get(path, status="*")
    page = page.follow() if page.status_int == 303 else page
    assert page.content_type == "text/html"
    assert page.html.html["lang"] == "en"
    for element in page.html.find_all(True):
        assert element.name != "style"
        assert element.name != "script" or element["src"].startswith("/static/forum.js?v=")
        assert not [name for name in element.attrs if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("path", ["/signup", "/oauth/authorize", "/password/reset"])
def test_an_error_is_a_page_for_a_browser_and_json_for_the_rest(make_forum, path):
    forum = make_forum()
    page = Visitor(forum).get(path)
    assert page.content_type == "text/html"
    answer = forum.app.get(path, status=page.status_int)
    assert answer.content_type == "application/json"
    said = answer.json.get("error_description", answer.json["error"])
    assert problem(page) == said


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
def test_an_error_of_every_path_outside_the_api_is_a_page_for_a_browser(visitor, path, status):
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
def test_oauth_posts_get_json_even_if_they_accept_html(visitor, method, path, status):
    answer = visitor.app.request(path, method=method, status=status)
    assert answer.content_type == "application/json"
    assert answer.json["error"]


def test_a_wrong_method_gets_the_allowed_ones(visitor):
    answer = visitor.app.put("/login", status=405)
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert answer.content_type == "text/html"


def test_a_server_error_is_a_page_without_details_and_an_error_page_needs_no_database(
    visitor, monkeypatch
):
    def broken(*args: object) -> None:
        raise RuntimeError("fell over")

    visitor.get("/login")
    monkeypatch.setattr("forumsvc.sessions.browser_sessions.find", broken)
    page = visitor.get("/login")
    assert (page.status_int, page.content_type) == (500, "text/html")
    assert "fell over" not in page.text


_OF_USERS = "[dir=auto], bdi, .forum-content, pre, code, time, textarea, option"
_WORD = re.compile(r"[A-Za-z]{3,}")
_NAMES = {
    *("ann", "bob", "carl", "root", "keeper", "Harbour", "Forum", "Markdown", "UTC", "PNG"),
    *("JPEG", "GIF", "WebP", "API", "English", "Atom", "VIP", "node", "title"),
    *("com", "example", "app", "done", "http", "https"),
}


def latin_words(browser: Visitor, path: str) -> set[str]:
    """Return the words of a page in Latin letters that no user wrote."""
    page = browser.get(path)
    assert page.status_int < 500, path
    assert (page.html.html["lang"], page.html.html["dir"]) == ("ar", "rtl")
    for written in page.html.select(_OF_USERS):
        written.decompose()
    body = page.html.body
    shown = [*body.stripped_strings, *(one["aria-label"] for one in body.select("[aria-label]"))]
    return {word for text in shown for word in _WORD.findall(text)} - _NAMES


def paths(here: Community) -> dict[str, list[str]]:
    """Return the paths to look at, by who looks."""
    rich = here.rich
    return {
        "": [
            *("/", "/topics/popular", f"/topics/node{here.node}", f"/topics/{rich}", "/bob"),
            *("/search?q=boats", "/search?q=zzz", "/login", "/signup", "/password/forgotten"),
            *("/moderators", f"/topics/{here.deleted}", "/nothing/here"),
        ],
        "ann": [
            *("/notifications", "/notifications/delete", "/settings", "/settings/email"),
            *("/settings/sessions", "/settings/blocked", "/settings/notifications", "/password"),
            *("/settings/photos", "/settings/data", "/applications", "/topics/new", "/held"),
            *(f"/topics/{rich}/report", f"/held/{here.held}"),
        ],
        "keeper": [
            *(f"/topics/{rich}", f"/topics/{rich}/edit", f"/topics/{rich}/delete"),
            *("/moderation", "/moderation/resolved", "/moderation/log", "/moderation/users/carl"),
            *(f"/moderation/reviews/{here.review}", f"/moderation/reviews/{here.held_review}"),
        ],
    }


def test_no_text_of_a_page_is_left_in_english(forum):
    here = settle(forum, with_password(forum), with_password(forum, "keeper"))
    wrong: dict[tuple[str, str], set[str]] = {}
    for login, shown in paths(here).items():
        browser = Visitor(forum)
        browser.app.extra_environ["HTTP_ACCEPT_LANGUAGE"] = "ar"
        if login:
            browser.log_in(login)
        wrong |= {(login, path): words for path in shown if (words := latin_words(browser, path))}
    assert not wrong


def test_a_page_has_an_icon_a_color_for_each_theme_and_a_manifest(visitor):
    head = visitor.get("/").html.head
    for link in head.select("link[rel=icon], link[rel=apple-touch-icon], link[rel=manifest]"):
        assert visitor.get(link["href"]).status_int == 200, link
    manifest = visitor.get(head.find("link", rel="manifest")["href"])
    assert manifest.content_type == "application/manifest+json"
    assert manifest.json["name"] == "Forum"
    assert visitor.get(manifest.json["icons"][0]["src"]).content_type == "image/png"
    assert len(head.select("meta[name=theme-color][media]")) == 2


@each("language", ["en", "zh"])
def test_a_form_with_errors_says_so_in_its_title_and_links_to_its_fields(visitor, language):
    form = {"login": "x!", "email": "not one", "password": "password1"}
    visitor.app.extra_environ["HTTP_ACCEPT_LANGUAGE"] = language
    page = visitor.send("/signup", **form)
    assert page.status_int == 400
    assert page.html.title.text.startswith({"en": "Error: ", "zh": "出错"}[language])
    links = page.html.select("[role=alert] a")
    assert [link["href"] for link in links] == [f"#{name}" for name in form]
    wrong = [page.html.find(id=f"{name}-wrong").text for name in form]
    assert [link.text for link in links] == wrong
    assert page.html.find(autofocus=True)["id"] == "login"


def test_after_a_wrong_password_the_password_has_the_focus(visitor, ann):
    page = visitor.send("/login", username="ann", password="not-it-at-all-1")
    assert page.html.find(autofocus=True)["id"] == "password"
