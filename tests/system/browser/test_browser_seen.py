"""How far somebody has read a long topic whose pages have scripts: as far as they saw it."""

import re
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import count

import pytest
from playwright.sync_api import Page, expect

from forumsvc.process.passwords import hash_password
from tests.functional.forum import Forum
from tests.functional.fuzzing import served

from .conftest import forum_in
from .people import follow, log_in_by_names
from .service import PASSWORD

REPLIES = 30
SEEN = "**/seen?**"
NUMBERS = count(1)
"""Of the readers, of whom each test has one of its own."""


@pytest.fixture(scope="module")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forum]:
    """A forum with a long topic that nobody has read."""
    with forum_in(tmp_path_factory.mktemp("seen")) as forum:
        bob = forum.person("bob")
        topic = forum.topic(bob, forum.node(), title="Boats")
        for number in range(REPLIES):
            forum.reply(bob, topic, f"Reply {number}")
        yield forum


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def reader(browser, forum, request) -> Iterator[Page]:
    """A tab where somebody is logged in who comes from the log-in to the topic."""
    login = f"reader{next(NUMBERS)}"
    user_id = forum.person(login).id
    forum.change(user_id, password_hash=hash_password(PASSWORD))
    size = {"width": 1280, "height": 800}
    with (
        served(forum.application) as address,
        browser.new_context(
            base_url=address, viewport=size, java_script_enabled=request.param
        ) as context,
    ):
        page = context.new_page()
        page.has_scripts = request.param
        page.goto("/topics/1")
        follow(page.locator(".side .button"))
        with page.expect_response(SEEN) if request.param else nullcontext():
            log_in_by_names(page, login)
        expect(page.locator("h1")).to_have_text("Boats")
        yield page


def unread(forum: Forum, page: Page) -> int:
    """Return how many replies the list says are unread."""
    forum.registry.read_marker.finish()
    page.goto("/")
    news = page.locator(".topics .to-unread")
    return int(news.inner_text().split()[0]) if news.count() else 0


def ids_in(address: str) -> list[int]:
    """Return of which replies an address tells that they were seen."""
    _, _, ids = address.partition("/seen?replies=")
    return [int(one) for one in ids.partition("&")[0].split(",") if one]


def test_who_reads_the_beginning_comes_back_to_where_they_stopped(reader, forum):
    if not reader.has_scripts:
        assert unread(forum, reader) == 0, "the whole page was shown"
        return
    ends = "all => all.filter(one => one.getBoundingClientRect().bottom <= innerHeight).length"
    seen = reader.locator("article.reply").evaluate_all(ends)
    assert 0 < seen < REPLIES - 1
    assert unread(forum, reader) == REPLIES - seen
    with reader.expect_response(SEEN):
        reader.locator(".topics .title").click()
    expect(reader.locator(".since + .reply")).to_be_in_viewport()
    with reader.expect_response(re.compile(rf"[=,]{REPLIES}\b")):
        reader.keyboard.press("End")
    left = unread(forum, reader)
    told: set[int] = set()
    reader.on("response", lambda answer: told.update(ids_in(answer.url)))
    assert 0 < left < REPLIES - seen, "what was jumped over is not read"
    reader.locator(".topics .title").click()
    expect(reader.locator(".since + .reply")).to_be_in_viewport()
    for number in [*range(REPLIES - left + 1, REPLIES, 4), REPLIES]:
        reader.locator(f"#reply-{number} .buttons").scroll_into_view_if_needed()
        while number not in told:
            reader.wait_for_event("response")
    expect(reader.locator(".side .to-unread")).to_have_count(0)
    assert unread(forum, reader) == 0


@pytest.mark.parametrize("reader", [True], ids=["scripts"], indirect=True)
def test_what_one_scrolls_past_in_haste_is_read_with_where_one_stops(reader):
    reader.goto("/topics/1")
    expect(reader.locator("#reply-1")).to_be_in_viewport()
    told: set[int] = set()
    reader.on("response", lambda answer: told.update(ids_in(answer.url)))
    while REPLIES not in told:
        reader.mouse.wheel(0, 1000)
        reader.wait_for_event("response")
    # The page behind a link shows it at once: nothing is finished for it.
    follow(reader.locator("header .site"))
    expect(reader.locator(".topics .to-unread")).to_have_count(0)


LATER = "Date.now = () => 2 ** 43; document.dispatchEvent(new Event('visibilitychange'));"
"""An hour later the page asks what is new."""


def test_what_comes_while_a_page_is_open_is_numbered_and_linked(browser, forum):
    forum.change(forum.person("waiter").id, password_hash=hash_password(PASSWORD))
    bob = forum.person("bob2")
    topic = forum.topic(bob, forum.node("News"), title="Open")
    with (
        served(forum.application) as address,
        browser.new_context(base_url=address) as context,
    ):
        page, lists = context.new_page(), context.new_page()
        page.goto(f"/login?next=/topics/{topic}")
        log_in_by_names(page, "waiter")
        page.locator("#topic button", has_text="Follow").click()
        expect(page.locator("#topic button.done")).to_have_count(1)
        lists.goto("/")
        expect(lists.locator("[data-number=topics-unread] .mark")).to_have_count(0)
        forum.reply(bob, topic, "Fresh")
        for one in (page, lists):
            one.evaluate(LATER)
        expect(lists.locator("[data-number=topics-unread] .mark")).to_have_text("1")
        expect(page.locator(".to-notifications .mark")).to_have_text("1 unread")
        follow(lists.get_by_text("Show what is new"))
        expect(lists.locator("li.unread .title")).to_have_text("Open")
        follow(page.get_by_text("1 new reply"))
        expect(page.locator("article.reply .forum-content")).to_have_text("Fresh")
