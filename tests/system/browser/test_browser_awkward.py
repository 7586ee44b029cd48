"""What is long, many or of two directions fits on every screen."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ViewportSize

from forumsvc.process.passwords import hash_password
from tests.functional.forum import Forum
from tests.functional.fuzzing import served
from tests.functional.pages import awkward

from .conftest import forum_in
from .people import log_in_by_names
from .service import PASSWORD
from .test_browser_accessibility import OVERFLOW

CUT = """[...document.querySelectorAll('main *, header *')]
  .filter(one => !one.closest('svg, .hidden, [popover], .tabs, .wide, pre'))
  .filter(one => one.getClientRects().length && one.innerText?.trim())
  .filter(one => {
    const box = one.getBoundingClientRect()
    return box.width > 1 && (box.left < -1 || box.right > innerWidth + 1)
  })
  .map(one => one.outerHTML.slice(0, 100))"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """The address of a forum, and the paths of what is awkward in it; ann is an admin."""
    with forum_in(tmp_path_factory.mktemp("awkward")) as forum:
        ann = forum.person("ann", role="admin")
        forum.change(ann.id, password_hash=hash_password(PASSWORD))
        here = awkward.settle(forum, ann)
        with served(forum.application) as address:
            yield address, _paths(forum, here)


def _paths(forum: Forum, here: awkward.Awkward) -> list[str]:
    topics = [f"/topics/{one}" for one in (here.long, here.mixed)]
    return [
        *("/", f"/topics/node{here.node}", *topics, f"/topics/{here.long}/likes"),
        *(f"/{here.login}", "/topics/new", f"/topics/{here.long}/edit"),
        *(f"/topics/{here.long}/report", "/settings/forum", f"/search?q={awkward.LONG_WORD}"),
    ]


@pytest.mark.parametrize(
    ("width", "height", "language"), [(320, 640, "en"), (640, 400, "ar"), (1280, 800, "zh-CN")]
)
def test_long_words_many_nodes_and_likes_fit(
    browser: Browser, place: tuple[str, list[str]], width: int, height: int, language: str
):
    address, paths = place
    size = ViewportSize(width=width, height=height)
    with browser.new_context(base_url=address, viewport=size, locale=language) as context:
        page = context.new_page()
        page.route("https://example.org/**", lambda route: route.abort())
        page.goto("/login")
        log_in_by_names(page, "ann")
        wrong = []
        for path in paths:
            page.goto(path)
            if page.evaluate(OVERFLOW) > 0:
                wrong.append(f"{path}: it is wider than the screen")
            wrong += [f"{path}: {one}" for one in page.evaluate(CUT)]
        assert wrong == [], "\n".join(wrong)
