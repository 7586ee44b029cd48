"""What a reader's system or printer asks of a page, and where the focus of a keyboard is."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from forumsvc.process.passwords import hash_password
from tests.functional.fuzzing import served
from tests.functional.pages import awkward

from .conftest import forum_in
from .people import log_in_by_names
from .service import PASSWORD

WIDER = """[...document.querySelectorAll('pre, .wide')]
  .filter(one => one.scrollWidth > one.clientWidth).length"""
FOLDED = (
    "[...document.querySelectorAll('.forum-content details p')].map(one => one.checkVisibility())"
)
BACKGROUND = (
    "([name, part]) => getComputedStyle(document.querySelector(name), part).backgroundColor"
)
BORDER = "name => getComputedStyle(document.querySelector(name)).borderBottomStyle"
FOCUS = """() => {
  const one = document.activeElement, {outlineStyle, outlineWidth} = getComputedStyle(one)
  if (one === document.body) return null
  const box = one.getBoundingClientRect()
  const isSeen = outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2 && box.width > 1
  return [isSeen, one.outerHTML.slice(0, 80)]
}"""
MOST_STOPS = 300


@pytest.fixture(scope="module")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, awkward.Awkward]]:
    """The address of a forum, and what is in it; ann is a member."""
    with forum_in(tmp_path_factory.mktemp("media")) as forum:
        ann = forum.person("ann")
        forum.change(ann.id, password_hash=hash_password(PASSWORD))
        here = awkward.settle(forum, ann)
        with served(forum.application) as address:
            yield address, here


@pytest.fixture
def page(browser: Browser, forum: tuple[str, awkward.Awkward]) -> Iterator[Page]:
    with browser.new_context(base_url=forum[0]) as context:
        page = context.new_page()
        page.goto("/login")
        log_in_by_names(page, "ann")
        yield page


def test_a_topic_is_printed_whole(page, forum):
    page.emulate_media(media="print")
    page.goto(f"/topics/{forum[1].long}")
    assert page.evaluate(WIDER) == 0, "code is cut off"
    assert page.evaluate(FOLDED) == [True]


def test_forced_colors_leave_what_is_unread_and_what_is_current(page):
    page.emulate_media(forced_colors="active")
    page.goto("/")
    ground = page.evaluate(BACKGROUND, ["html", None])
    assert page.evaluate(BACKGROUND, [".unread", "::before"]) != ground
    assert page.evaluate(BORDER, ".tabs [aria-current]") == "solid"
    assert page.evaluate(BORDER, ".tabs a:not([aria-current])") == "none"


def test_each_stop_of_the_keyboard_is_seen(page, forum):
    for path in ("/", f"/topics/{forum[1].mixed}", "/search?q=django", "/settings"):
        page.goto(path)
        stops: list[list[str]] = []
        while len(stops) < MOST_STOPS:
            page.keyboard.press("Tab")
            if (stop := page.evaluate(FOCUS)) is None:
                break
            stops.append(stop)
        assert 10 < len(stops) < MOST_STOPS, path
        assert [html for is_seen, html in stops if not is_seen] == [], path
