"""The list of topics in a browser: how much of it a screen shows, and how it is put in order."""

import pytest
from playwright.sync_api import Browser, ViewportSize

from forumsvc.demo import load
from forumsvc.markup import Renderer
from forumsvc.process.passwords import hash_password
from forumsvc.services.search.reindexing import reindex
from tests.functional.forum import Forum
from tests.functional.fuzzing import served

from .conftest import forum_in
from .people import log_in_by_names
from .service import PASSWORD

ROWS = """[...document.querySelectorAll('.topics > li')].map(row => {
  const box = row.getBoundingClientRect();
  const right = name => Math.round(row.querySelector(name).getBoundingClientRect().right);
  return [box.bottom <= innerHeight, right('.count'), right('.last'), Math.round(box.height)];
})"""
SMALL = """[...document.querySelectorAll('.topics a')]
  .filter(one => one.getClientRects().length)
  .map(one => [one.getBoundingClientRect(), one.outerHTML])
  .filter(([box]) => box.height < 24 || box.width < 24)
  .map(([box, html]) => `${box.width} x ${box.height}: ${html.slice(0, 100)}`)"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory):
    """A forum with a page of topics, one of them with a long title, most with replies."""
    with forum_in(tmp_path_factory.mktemp("list")) as forum:
        _fill(forum)
        with served(forum.application) as address:
            yield address


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory):
    """A forum with the demo community."""
    with forum_in(tmp_path_factory.mktemp("demo")) as forum:
        load(forum.database, renderer=Renderer(workers=0), password_hash=hash_password(PASSWORD))
        with served(forum.application) as address:
            yield address


def _fill(forum: Forum) -> None:
    people, node = [forum.person(login) for login in ("al", "bartholomew")], forum.node("Boats")
    for number in range(20):
        title = "W" * 200 if number == 18 else f"Boat {number}"
        topic = forum.topic(people[number % 2], node, title=title)
        for _ in range(number % 3):
            forum.reply(people[1], topic)
    reindex(forum.database)


@pytest.mark.parametrize(
    ("width", "height", "whole"), [(1280, 900, 11), (390, 844, 10), (320, 640, 7)]
)
def test_a_screen_shows_many_topics_in_columns(
    browser: Browser, address: str, width: int, height: int, whole: int
):
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = context.new_page()
        page.goto(address)
        rows = page.evaluate(ROWS)
        assert sum(row[0] for row in rows) >= whole
        assert [len({row[column] for row in rows}) for column in (1, 2)] == [1, 1]
        assert max(row[3] for row in rows) < 85, "a title has two lines at most"
        assert page.evaluate(SMALL) == []


@pytest.mark.parametrize(("width", "height", "whole"), [(1280, 800, 11), (390, 844, 10)])
def test_a_member_sees_many_topics_of_the_demo(
    browser: Browser, demo: str, width: int, height: int, whole: int
):
    size = ViewportSize(width=width, height=height)
    with browser.new_context(base_url=demo, viewport=size) as context:
        page = context.new_page()
        page.goto("/login")
        log_in_by_names(page, "demo")
        page.goto("/")
        assert sum(row[0] for row in page.evaluate(ROWS)) >= whole
