"""OAuth flows in a real browser, from the authorization request to the redirect."""

from playwright.sync_api import Page, expect

from .callback import Callback, hello
from .people import sign_up
from .service import PASSWORD, Service


def test_a_newcomer_signs_up_allows_an_application_and_takes_it_back(
    page: Page, service: Service, callback: Callback
) -> None:
    client_id = service.client("Sea Reader", callback.uri)
    page.goto(callback.request(client_id))
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    sign_up(page, "newcomer")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sea Reader")
    expect(page.get_by_role("main")).to_contain_text(callback.uri.split("/")[2])
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url(f"{callback.uri}?**")
    answer = callback.answer()
    assert (answer["state"], answer["iss"]) == ("the state", service.address)
    token = callback.token(service.address, client_id, answer["code"])
    assert hello(service.address, token) == (200, "newcomer")

    page.goto("/applications")
    page.get_by_role("button", name="Revoke Sea Reader").click()
    expect(page.get_by_role("status")).to_contain_text("no longer has access")
    expect(page.get_by_role("button", name="Revoke Sea Reader")).to_have_count(0)
    assert hello(service.address, token) == (401, None)


def test_the_forms_can_be_filled_in_with_the_keyboard_alone(page: Page, service: Service) -> None:
    service.person("typist")
    page.goto("/login")
    expect(page.get_by_label("Login or email")).to_be_focused()
    page.keyboard.type("typist")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Topics")
