"""A long topic in a browser without scripts: where one lands, and what stays in view."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from forumsvc.process.passwords import hash_password
from tests.functional.forum import Forum, Person
from tests.functional.fuzzing import served

from .conftest import forum_in
from .people import follow, log_in_by_names
from .service import PASSWORD

SIZES = {"small": (320, 640), "phone": (390, 844), "desk": (1280, 900)}
TOP = "one => one.getBoundingClientRect().top"
LONG = "Some words about boats. " * 100


@pytest.fixture(scope="module")
def topic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a topic with two pages of replies; ann is a member."""
    with forum_in(tmp_path_factory.mktemp("topic")) as forum:
        ann = forum.person("ann")
        forum.change(ann.id, password_hash=hash_password(PASSWORD))
        number = _write(forum, ann)
        with served(forum.application) as address:
            yield f"{address}/topics/{number}"


def _write(forum: Forum, ann: Person) -> int:
    topic = forum.topic(ann, forum.node(), title="Boats", body=LONG)
    for number in range(60):
        forum.reply(ann, topic, f"Reply {number}")
    return topic


@pytest.fixture(params=SIZES)
def reader(browser, topic, request) -> Iterator[Page]:
    """A tab without scripts, where ann is logged in."""
    width, height = SIZES[request.param]
    size = {"width": width, "height": height}
    with browser.new_context(viewport=size, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(topic.rpartition("/topics")[0] + "/login")
        log_in_by_names(page, "ann")
        yield page


def test_who_knows_the_number_of_a_reply_goes_there(reader, topic):
    reader.goto(topic)
    is_on_a_phone = (reader.viewport_size or {})["width"] < 1000
    assert reader.locator("#jump").is_visible() != is_on_a_phone
    if is_on_a_phone:
        reader.locator(".pager button").click()
    reader.locator("#jump input").fill("55")
    follow(reader.locator("#jump button"))
    expect(reader.locator("#floor-55")).to_be_in_viewport()


def test_the_next_page_begins_with_its_first_reply(reader, topic):
    reader.goto(topic)
    follow(reader.locator(".pages [rel=next]").first)
    expect(reader.locator("#floor-51")).to_be_in_viewport()
    assert 0 < reader.locator("#floor-51").evaluate(TOP) < 200
    place = reader.locator(".place")
    for floor in (51, 56, 60):
        reader.locator(f"#floor-{floor}").scroll_into_view_if_needed()
        expect(place).to_be_in_viewport(ratio=1)


def test_a_topic_is_opened_at_its_top_and_its_button_leads_to_the_field(reader, topic):
    reader.goto(f"{topic}#at-60")
    expect(reader.locator("header .site")).to_be_in_viewport(ratio=1)
    reader.locator(".side .button").click()
    expect(reader.locator("#body")).to_be_focused()
    expect(reader.locator("#body")).to_be_in_viewport()


def test_a_dark_theme_is_printed_black_on_white(browser, topic):
    with browser.new_context(color_scheme="dark") as context:
        page = context.new_page()
        page.goto(topic)
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        page.emulate_media(media="print")
        color = page.locator("#topic .forum-content").evaluate("one => getComputedStyle(one).color")
        assert max(map(int, color.removeprefix("rgb(").removesuffix(")").split(","))) < 100
