"""OAuth flows in a real browser, from the authorization request to the redirect."""

from playwright.sync_api import Page, expect

from .callback import Callback, hello
from .people import sign_up
from .service import Service


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
