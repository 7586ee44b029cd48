"""OAuth flows in a real browser, from the authorization request to the redirect."""

from playwright.sync_api import expect

from .callback import hello
from .people import log_in_by_names, sign_up
from .service import running


def test_a_newcomer_signs_up_allows_an_application_and_takes_it_back(page, service, callback):
    client_id = service.register("Sea Reader", callback.uri)
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


def test_the_browser_follows_where_the_application_redirects_further(
    page, service, hopping_callback, callback
):
    """Chromium applies form-action to each redirect behind a form."""
    service.person("hopper")
    client_id = service.register("Hopping Reader", hopping_callback.uri)
    for button in ("Allow", "Cancel"):
        callback.arrived.clear()
        page.goto(hopping_callback.request(client_id))
        if page.locator("#username").count():
            log_in_by_names(page, "hopper")
        page.get_by_role("button", name=button).click()
        page.wait_for_url(f"{callback.uri}?**")
        assert ("code" in callback.answer()) == (button == "Allow")


def test_the_browser_brings_an_error_to_the_application_of_a_member_after_the_login(
    page, service, callback
):
    client_id = service.register("Mistaken", callback.uri, owner=service.person("mistaken"))
    page.goto(callback.request(client_id).replace("response_type=code", "response_type=token"))
    log_in_by_names(page, "mistaken")
    page.wait_for_url(f"{callback.uri}?**")
    assert callback.answer()["error"] == "unsupported_response_type"


def test_two_forums_at_one_host_keep_their_logins_apart(page, service, tmp_path):
    service.person("neighbor")
    with running(tmp_path) as other:
        other.person("neighbor")
        for forum in (service, other):
            page.goto(f"{forum.address}/login")
            log_in_by_names(page, "neighbor")
            expect(page.locator("[formaction='/logout']")).to_have_count(1)
        for forum in (service, other):
            page.goto(forum.address)
            expect(page.locator("[formaction='/logout']")).to_have_count(1)
