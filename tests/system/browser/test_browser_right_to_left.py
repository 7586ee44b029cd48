"""The pages in a language that is written from right to left: mirrored, whole, and accessible."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from forumsvc.process.passwords import hash_password
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
# What says where it stands or points: an expression, and what it is where all is right.
SIGNS = {
    "sign of a closed post": (
        "style('.first-post > summary', '::before').content.slice(1, 2)",
        "◂",
    ),
    "mention": ("left(mention(), 0) < left(mention(), 1)", True),
    "name that ends in a sign": ("left(person('pat_'), 0) < left(person('pat_'), 3)", True),
    "joined letters": ("style('.site').letterSpacing", "normal"),
    "digits": ("/[\\u0660-\\u0669]/.test(document.querySelector('time').title)", False),
}
HELPERS = """
var style = (name, part) => getComputedStyle(document.querySelector(name), part)
var mention = () => [...document.querySelectorAll('.user-mention')].at(-1).firstChild
var person = login => [...document.querySelectorAll('.author')]
    .find(one => one.textContent === login).firstChild
var left = (text, at) => {
    const letter = document.createRange()
    letter.setStart(text, at)
    letter.setEnd(text, at + 1)
    return letter.getBoundingClientRect().left
}"""
CODE = "[...document.querySelectorAll('pre')].map(one => getComputedStyle(one).direction)"
DIRECTION = "name => getComputedStyle(document.querySelector(name)).direction"
OPERATOR = """(() => {
    const text = [...document.querySelectorAll('#q-hint bdi')]
        .find(one => one.textContent.startsWith('by:')).firstChild
    return left(text, 0) < left(text, 2) && left(text, 2) < left(text, 4)
})()"""
FROM_THE_EDGE = """(() => {
    const text = document.createRange()
    text.selectNodeContents(document.querySelector('.bio'))
    const edge = document.querySelector('main').getBoundingClientRect().right
    return edge - text.getBoundingClientRect().right
})()"""
MENTION = "شكرًا @bob، انظر #1!"
OWN, OPTIONS = "dora", {"accounts.registration": "open", "site.name": "Harbour"}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[str, Community]]:
    """The address of a forum that has the language, and what is to be seen in it."""
    with forum_in(tmp_path, **OPTIONS) as forum:
        dora = forum.person(OWN)
        forum.change(dora.id, password_hash=hash_password(PASSWORD))
        community = settle(forum, dora.id)
        forum.reply(dora, community.rich, MENTION)
        forum.reply(forum.person("pat_"), community.rich, "Hello")
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
    context = browser.new_context(
        base_url=base, viewport={"width": width, "height": height}, locale="ar-EG"
    )
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


def test_signs_names_and_fields_run_as_they_are_read(browser, place):
    base, here = place
    page = browser.new_context(base_url=base, locale="ar-EG").new_page()
    page.route("https://example.org/**", lambda route: route.abort())
    page.goto(f"/topics/{here.rich}?page=2")
    page.evaluate(HELPERS)
    assert {name: page.evaluate(code) for name, (code, _) in SIGNS.items()} == {
        name: right for name, (_, right) in SIGNS.items()
    }
    page.goto("/docs/guide")
    assert page.evaluate(DIRECTION, "#main h1") == "ltr"
    page.goto("/search")
    page.evaluate(HELPERS)
    assert page.evaluate(OPERATOR), "an operator stands before its value"
    page.goto("/bob")
    assert abs(page.evaluate(FROM_THE_EDGE)) < 1, "English texts stand where the page begins"
    page.goto("/login")
    assert page.evaluate(DIRECTION, "#username") == "ltr"
    log_in_by_names(page, OWN)
    page.goto("/settings")
    page.locator("#location").fill("عمّان")
    assert page.evaluate(DIRECTION, "#location") == "rtl"
    page.goto("/topics/new")
    for text, direction in (("", "rtl"), ("Ships", "ltr"), ("سفن", "rtl")):
        for field in ("#title", "#body"):
            page.locator(field).fill(text)
            assert page.evaluate(DIRECTION, field) == direction, (field, text)
    page.goto(f"/topics/{here.rich}/report")
    assert page.locator(".excerpt bdi").count() == 2, "who wrote it, and the text"
    page.context.close()
