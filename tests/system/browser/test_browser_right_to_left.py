"""The pages in a language that is written from right to left: mirrored, whole, and accessible."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from forumsvc.pages import display
from forumsvc.process.passwords import hash_password
from forumsvc.web.pipeline.session_cookie import site_cookie_name
from tests import third_language
from tests.functional.fuzzing import served
from tests.functional.pages.community import Community, settle

from .conftest import forum_in
from .judges import accessibility_errors
from .people import log_in_by_names
from .service import PASSWORD
from .test_browser_accessibility import OVERFLOW, SIZES

SITE_IS_LEFT_OF_ACCOUNT = """() => {
    const left = one => document.querySelector(one).getBoundingClientRect().left
    return left('header .site') < left('header .account')
}"""
CODE = "[...document.querySelectorAll('pre')].map(one => getComputedStyle(one).direction)"
OWN, OPTIONS = "dora", {"accounts.registration": "open", "site.name": "Harbour"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Community]]:
    """The address of a forum that has the language, and what is to be seen in it."""
    with forum_in(tmp_path, **OPTIONS) as forum:
        third_language.install(monkeypatch, forum.registry, tmp_path)
        dora = forum.person(OWN)
        forum.change(dora.id, password_hash=hash_password(PASSWORD))
        community = settle(forum, dora.id)
        with served(forum.application) as address:
            yield address, community


def wrong_with(page: Page, path: str) -> list[str]:
    """Look at a page; return what is wrong with it."""
    page.goto(path)
    page.wait_for_load_state()
    if folder := os.environ.get("SCREENSHOTS"):
        width = page.evaluate("innerWidth")
        name = f"rtl-{width}-{path.strip('/').replace('/', '-') or 'home'}.png"
        page.screenshot(path=Path(folder) / name, full_page=True)
    found = accessibility_errors(page)
    if page.evaluate(OVERFLOW) > 0:
        found.append("it is wider than the screen")
    if page.evaluate(SITE_IS_LEFT_OF_ACCOUNT):
        found.append("the header is not mirrored")
    if "rtl" in page.evaluate(CODE):
        found.append("code runs from right to left")
    return [f"{path}: {one}" for one in found]


@pytest.mark.parametrize("size", SIZES)
def test_the_pages_are_mirrored_and_nothing_is_cut_off(browser, place, size):
    base, here = place
    width, height = SIZES[size]
    context = browser.new_context(base_url=base, viewport={"width": width, "height": height})
    cookie = site_cookie_name(base, display.COOKIE)
    context.add_cookies([{"name": cookie, "value": third_language.CHOSEN, "url": base}])
    page = context.new_page()
    page.route("https://example.org/**", lambda route: route.abort())
    topic = f"/topics/{here.rich}"
    public = [
        "/",
        topic,
        f"/topics/node{here.node}",
        "/search?q=boats",
        "/bob",
        "/login",
        "/signup",
    ]
    own = ["/topics/new", f"{topic}/replies", "/notifications", "/settings", "/settings/data"]
    wrong = [found for path in public for found in wrong_with(page, path)]
    page.goto("/login")
    log_in_by_names(page, OWN)
    wrong += [found for path in own for found in wrong_with(page, path)]
    context.close()
    assert wrong == [], "\n".join(wrong)
