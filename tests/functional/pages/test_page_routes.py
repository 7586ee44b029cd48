"""Which pages there are, and in which order their routes are tried."""

import re
from typing import Any

import pytest
from pyramid.interfaces import IRoutesMapper

from forumsvc.services.accounts.login_names import PAGE_NAMES
from forumsvc.text.ids import is_login
from tests.cases import each
from tests.databases import on_sqlite
from tests.functional.forum import Forum

from .visitor import Visitor

_VALUE = re.compile(r"{\w+(?::([^{}]+))?}")


def routes_of(forum: Forum) -> list[Any]:
    mapper = forum.registry.queryUtility(IRoutesMapper)
    routes: list[Any] = mapper.get_routes(include_static=True)
    return routes


def answering(forum: Forum, path: str) -> str | None:
    found = (route.name for route in routes_of(forum) if route.match(path) is not None)
    return next(found, None)


def path_of(pattern: str) -> str:
    """Return a path that a pattern matches: numbers and words in the place of its values."""
    words = {None: "ann", r"\d+": "7"}
    return _VALUE.sub(lambda value: words.get(value[1]) or value[1].split("|")[0], pattern)


def test_each_page_answers_its_own_path(forum):
    routes = [route for route in routes_of(forum) if "*" not in route.pattern]
    wrong = {
        route.name: answering(forum, path_of(route.pattern))
        for route in routes
        if route.name != "unknown" and answering(forum, path_of(route.pattern)) != route.name
    }
    assert wrong == {}
    assert len(routes) > 90


@each(
    ("path", "route"),
    [
        ("/ann", "user"),
        ("/ann/topics", "user_list"),
        ("/ann/feed", "user_feed"),
        ("/topics/feed", "topics_feed"),
        ("/topics/last", "topics_recent"),
        ("/users/topics", "user_by_path"),
        # Nobody can sign up as feed, but somebody may have that name from before.
        ("/users/feed", "user_by_path"),
        ("/static/logo", "logo"),
        ("/static/manifest", "manifest"),
        ("/static/style.css", "__static/"),
        ("/favicon.ico", "/favicon.ico"),
        ("/ann/", "unknown"),
        ("/ann/topics/7", "unknown"),
    ],
)
def test_a_word_in_a_path_is_tried_before_a_value(forum, path, route):
    assert answering(forum, path) == route


def test_no_login_is_the_path_of_another_page(forum):
    words = {route.pattern.removeprefix("/") for route in routes_of(forum)}
    assert {word for word in words if is_login(word)} <= PAGE_NAMES


def test_a_topic_and_the_lists_are_tried_before_all_other_pages(forum):
    names = [route.name for route in routes_of(forum)]
    orders = ("", "_recent", "_popular", "_no_reply", "_excellent")
    first = {
        "home",
        "topic",
        *(f"{kind}{order}" for kind in ("topics", "node") for order in orders),
    }
    pages = names[names.index("home") :]
    assert set(pages[: len(first)]) == first


OF_FORUM = {"topics", "topic_action", "user", "about", "search", "sitemap", "settings", "robots"}
OF_DOCS = {"explorer", "guide", "guide_chapter", "/docs/content.css"}
ALWAYS = {
    "home",
    "login",
    "logout",
    "signup",
    "email",
    "applications",
    "oauth_authorize",
    "unknown",
}


@on_sqlite
@pytest.mark.parametrize(
    ("settings", "absent"),
    [
        ({}, set()),
        ({"pages.forum": "false"}, OF_FORUM),
        ({"docs.enabled": "false"}, OF_DOCS),
        ({"pages.forum": "false", "docs.enabled": "false"}, OF_FORUM | OF_DOCS),
    ],
)
def test_a_setting_decides_whether_a_page_is_there(make_forum, settings, absent):
    names = {route.name for route in routes_of(make_forum(**settings))}
    assert (OF_FORUM | OF_DOCS | ALWAYS) - names == absent


@on_sqlite
def test_without_the_forums_pages_the_home_page_is_of_the_service(make_forum):
    visitor = Visitor(make_forum(**{"pages.forum": "false"}))
    assert "http://localhost/api/v3" in visitor.get("/").text
    assert visitor.get("/topics").status_int == 404
    assert visitor.get("/robots.txt").content_type == "text/plain"
