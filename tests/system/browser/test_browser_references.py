"""References between replies in a browser: what they show, and the way back."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.functional.fuzzing import served

from .conftest import forum_in

REPLIES = 52


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a topic with two pages, whose last reply refers to the first and to #51."""
    with forum_in(tmp_path_factory.mktemp("references")) as forum:
        bob = forum.person("bob")
        topic = forum.topic(bob, forum.node())
        for number in range(1, REPLIES):
            forum.reply(bob, topic, f"Text {number}. " + "More words. " * 100)
        forum.reply(bob, topic, "As #1 and #51 say")
        with served(forum.application) as served_at:
            yield f"{served_at}/topics/{topic}"


def test_a_reference_shows_the_beginning_of_its_reply_and_leads_back(browser, address):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{address}?page=2")
        last = page.locator("article.reply").last
        last.get_by_text("#51").hover()
        expect(page.locator(".peek")).to_contain_text("Text 51.")
        page.keyboard.press("Escape")
        expect(page.locator(".peek")).to_be_hidden()
        last.get_by_text("#51").click()
        back = page.locator(".fresh", has_text="#52")
        expect(page.locator("article.reply").first).to_be_in_viewport()
        back.click()
        expect(last).to_be_in_viewport()
        expect(back).to_have_count(0)


def test_the_way_back_leads_from_another_page_too(browser, address):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{address}?page=2")
        page.locator("article.reply").last.get_by_text("#1", exact=True).click()
        expect(page.locator("#reply-1")).to_be_in_viewport()
        page.locator(".fresh", has_text="#52").click()
        expect(page.locator(f"#reply-{REPLIES}")).to_be_in_viewport()
        page.goto(f"{address}?page=2")
        expect(page.locator(".fresh")).to_have_count(0)
