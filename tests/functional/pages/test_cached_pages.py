"""A page that a visitor gets from the cache is the page of its own address."""

import re
from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any, NamedTuple

import pytest
from webtest import TestApp

from forumsvc import clock
from forumsvc.cache.page_cache import PageCache
from forumsvc.pages.display import CHOICES, COOKIE, Display
from forumsvc.pages.public_cache import CachedPage
from forumsvc.web.pipeline.session_cookie import site_cookie_name
from tests.databases import on_sqlite
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum

from .community import settle
from .visitor import BROWSER, Visitor

ORDERS = ["/topics/last", "/topics/popular", "/topics/no_reply", "/topics/excellent"]
API_LISTS = ["/api/v3/topics", "/api/v3/topics?type=popular", "/api/v3/topics?limit=1"]
TOPICS = 25
"""More than a page of a list shows."""


class Address(NamedTuple):
    path: str
    language: str = "en"
    host: str = "localhost:80"


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    return make_forum()


@pytest.fixture
def addresses(forum: Forum) -> list[Address]:
    """Addresses of every kind of page that is cached, in several orders, parts and languages."""
    ann = forum.person("ann")
    community = settle(forum, ann.id)
    other = forum.node("Other things")
    for number in range(TOPICS):
        forum.topic(ann, other, title=f"Question {number}", body="An answer")
    topic = forum.topic(ann, other, title="Long", body="Many replies")
    for number in range(TOPICS):
        forum.reply(ann, topic, f"Reply {number}")
    lists = [
        "/",
        "/topics",
        *ORDERS,
        f"/topics/node{community.node}",
        f"/topics/node{other}",
        f"/topics/node{other}/last",
    ]
    topics = [f"/topics/{community.rich}", f"/topics/{community.closed}", f"/topics/{topic}"]
    later = ["/topics?page=2", "/topics/last?page=2", f"/topics/node{other}?page=2"]
    feeds = [f"/nodes/{each}/feed.xml" for each in (community.node, other)]
    feeds += ["/topics/feed.xml", "/topics/feed.json", "/users/ann/feed.xml", "/users/bob/feed.xml"]
    paths = [*lists, *later, *topics, f"{topics[0]}?page=2", *feeds, *API_LISTS]
    return [
        *map(Address, paths),
        *(Address(path, language="zh") for path in ("/", "/topics/last", topics[0])),
        *(Address(path, host="forum.example:80") for path in ("/", topics[0], API_LISTS[0])),
    ]


@pytest.fixture
def ask(forum: Forum) -> Callable[[Address], tuple[Any, ...]]:
    """Return a function that loads a page as a visitor and returns what they see of it."""
    app = TestApp(forum.application, extra_environ=BROWSER)

    def load(address: Address) -> tuple[Any, ...]:
        headers = {"Accept-Language": address.language, "Host": address.host}
        page = app.get(address.path, headers=headers)
        seen = re.sub(rb'class="hits">\d+|"hits":\d+', b"hits", page.body)
        return page.content_type, page.headers.get("ETag"), page.headers.get("Link"), seen

    return load


@pytest.fixture
def empty_cache(forum: Forum, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return lambda: monkeypatch.setattr(
        forum.registry, "page_cache", PageCache(forum.registry.page_cache.max_bytes)
    )


@on_sqlite
@pytest.mark.extended
def test_a_page_is_the_same_whatever_page_was_asked_for_before(forum, addresses, ask, empty_cache):
    expected = {}
    for address in addresses:
        empty_cache()
        expected[address] = ask(address)
    orders = [expected[Address(path)][3] for path in ("/topics", *ORDERS)]
    assert len({*orders}) == len(orders), "the orders of this forum cannot be told apart"
    wrong = []
    for first, second in product(addresses, repeat=2):
        empty_cache()
        asked = [(each, ask(each)) for each in (first, second, first)]
        wrong += [(first, second) for each, seen in asked if seen != expected[each]]
    assert not wrong


def test_a_cached_page_is_in_the_theme_and_the_density_of_its_reader(forum):
    forum.topic(forum.person("ann"), forum.node())
    for theme, lists in product(CHOICES["theme"], CHOICES["lists"]):
        visitor = Visitor(forum)
        chosen = Display(theme=theme, lists=lists).to_cookie()
        visitor.app.set_cookie(site_cookie_name("http://localhost", COOKIE), chosen)
        page = visitor.get("/topics").html
        shown = page.find("html").get("data-theme", ""), *page.find("body").get("class", [""])
        assert shown == (theme, lists)


def test_who_is_silenced_is_not_marked_as_staff_until_the_silence_ends(forum, monkeypatch):
    root = forum.person("root", role="admin", scope="read write moderate admin")
    deputy = forum.person("deputy", role="maintainer")
    topic, visitor = forum.topic(deputy, forum.node()), Visitor(forum)

    def shown() -> tuple[int, bool, str]:
        page = visitor.get(f"/topics/{topic}")
        people = visitor.get("/moderators").html.find("main").text
        return len(page.html.select(".staff")), "deputy" in people, page.headers["ETag"]

    *before, tag = shown()
    assert before == [1, True]
    assert root.post("/users/deputy/silence", reason="Rude", days=1).status_int == 200
    *silenced, new_tag = shown()
    assert silenced == [0, False]
    end = clock.now() + timedelta(days=1, minutes=1)
    monkeypatch.setattr(clock, "now", lambda: end)
    *after, last_tag = shown()
    assert after == [1, True]
    assert len({tag, new_tag, last_tag}) == 3


def test_two_responses_made_from_one_cached_page_share_no_headers():
    cached = CachedPage('"etag"', [("Content-Type", "text/html")], [b"<p>", b"</p>"])
    short, long = cached.response(1), cached.response(1_000_000)
    assert short.headers["Content-Length"] == str(len(short.body))
    assert long.headers["Content-Length"] == str(len(long.body))
    assert cached.headers == [("Content-Type", "text/html")]
