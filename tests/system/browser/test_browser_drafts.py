"""A text that is begun in one browser and finished in another."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from .people import follow, log_in_by_names
from .service import Service

SAVE = "button[name=save_draft]"
SEND = "form:has(#body) .actions button >> nth=0"


@contextmanager
def device(
    browser: Browser, service: Service, login: str, *, scripts: bool = True
) -> Iterator[Page]:
    """Yield a tab of a browser of its own, in which somebody is logged in."""
    address = service.address
    with browser.new_context(base_url=address, java_script_enabled=scripts) as context:
        page = context.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto("/login")
        log_in_by_names(page, login)
        yield page


def write_a_topic(page: Page, title: str) -> str:
    """Write a topic; return the path of its page."""
    page.goto("/topics/new")
    page.locator("#title").fill(title)
    page.locator("#node_id").select_option(index=1)
    page.locator("#body").fill("Its text")
    follow(page.locator(SEND))
    return page.url.partition("#")[0]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_a_topic_is_begun_at_the_desk_and_posted_by_the_phone(browser, service, scripts):
    login = f"desk{int(scripts)}"
    service.person(login)
    service.node(f"Boats {int(scripts)}")
    devices = [device(browser, service, login, scripts=scripts) for _ in range(2)]
    with devices[0] as desk, devices[1] as phone:
        desk.goto("/topics/new")
        desk.locator("#title").fill("Half a topic")
        follow(desk.locator(SAVE))
        expect(desk.get_by_role("status")).to_contain_text("Your draft is saved")
        phone.goto("/settings/drafts")
        follow(phone.get_by_role("link", name="Continue"))
        expect(phone.locator("#title")).to_have_value("Half a topic")
        phone.locator("#node_id").select_option(index=1)
        phone.locator("#body").fill("A whole one")
        phone.locator("button[name=preview]").click()
        expect(phone.locator(".preview")).to_have_count(1)
        follow(phone.locator(SEND))
        expect(phone.locator("h1")).to_have_text("Half a topic")
        desk.goto("/topics/new")
        expect(desk.locator("#title")).to_have_value("")
        desk.goto("/settings/drafts")
        expect(desk.locator(".entry")).to_have_count(0)


def test_a_text_that_the_browser_fills_in_again_replaces_no_draft_of_another_device(
    browser, service
):
    service.person("typist")
    service.node("Texts")
    devices = [device(browser, service, "typist") for _ in range(2)]
    with devices[0] as desk, devices[1] as phone:
        path = write_a_topic(desk, "About texts")
        desk.locator("#body").fill("Typed at the desk")
        phone.goto(path)
        phone.locator("#body").fill("Saved by the phone")
        follow(phone.locator(SAVE))
        follow(desk.locator("header .site"))
        desk.go_back()
        expect(desk.locator("#body")).to_have_value("Typed at the desk")
        follow(desk.locator(SAVE))
        expect(desk.locator("#theirs")).to_have_value("Saved by the phone")
        expect(desk.locator("#body")).to_have_value("Typed at the desk")
        follow(desk.locator(SAVE))
        phone.goto(path)
        expect(phone.locator("#body")).to_have_value("Typed at the desk")


def test_what_one_writes_is_saved_while_one_writes_and_when_one_leaves(browser, service):
    service.person("writer")
    service.node("Writing")
    with device(browser, service, "writer") as page:
        path = write_a_topic(page, "To be continued")
        page.clock.install()
        page.goto(path)
        page.locator("#body").press_sequentially("Half a ")
        page.clock.fast_forward(10_000)
        expect(page.locator(".actions [role=status]")).to_contain_text("Your draft is saved")
        page.locator("#body").press_sequentially("reply")
        follow(page.locator("header .site"))
        page.goto(path)
        expect(page.locator("#body")).to_have_value("Half a reply")
        page.locator("#body").press_sequentially(", sent")
        page.clock.fast_forward(10_000)
        follow(page.locator(SEND))
        expect(page.locator(".reply")).to_contain_text("Half a reply, sent")
        page.clock.fast_forward(20_000)
        page.goto(path)
        expect(page.locator("#body")).to_have_value("")


def test_a_quotation_of_what_is_selected_joins_the_text_and_back_leads_to_the_post(
    browser, service
):
    service.person("quoter")
    service.node("Quoted")
    with device(browser, service, "quoter") as page:
        path = write_a_topic(page, "To be quoted")
        page.locator("#body").fill("The tide is high. So wait. " + "An hour or two. " * 200)
        follow(page.locator(SEND))
        page.goto(path)
        page.locator("#body").fill("Begun.")
        text = page.locator(".reply .forum-content p").first
        text.evaluate(
            "one => getSelection().setBaseAndExtent(one.firstChild, 0, one.firstChild, 17)"
        )
        page.locator(".quoting").scroll_into_view_if_needed()
        place = page.evaluate("scrollY")
        page.locator(".quoting").click()
        expect(page.locator(".quoting")).to_be_hidden()
        expect(page.locator("#body")).to_have_value(
            "Begun.\n\n@quoter #1:\n\n> The tide is high.\n\n"
        )
        expect(page.locator("#body")).to_be_focused()
        expect(page.locator("#body")).to_be_in_viewport()
        assert page.evaluate("scrollY") == place, "the form comes to what is quoted"
        page.locator("#topic button[name=quote]").click()
        expect(page.locator("#body")).to_have_value(re.compile(r"@quoter:\n\n> Its text\n\n$"))
        page.go_back()
        expect(page.locator("#body")).to_have_value(re.compile("^Begun"))
        assert page.url == page.url.partition("#")[0], "where it was before"
        expect(page.locator("form.docked")).to_have_count(0)
        page.locator(".side a[href='#body']").click()
        expect(page.locator("form.docked #body")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("form.docked")).to_have_count(0)


def test_who_goes_back_behind_a_posted_draft_does_not_find_it_again(browser, service):
    service.person("sender")
    service.node("Sent")
    with device(browser, service, "sender") as page:
        path = write_a_topic(page, "To be answered")
        page.locator("#body").fill("Half a reply")
        follow(page.locator(SAVE))
        page.locator("#body").fill("A whole reply")
        follow(page.locator(SEND))
        expect(page.locator(".reply")).to_contain_text("A whole reply")
        page.go_back()
        expect(page.locator("#body")).to_have_value("")
        page.goto(path)
        expect(page.locator("#body")).to_have_value("")
