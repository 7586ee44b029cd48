"""OAuth flows in a real browser, from the authorization request to the redirect."""

from playwright.sync_api import Page, expect

from .callback import Callback, hello
from .people import log_in, sign_up
from .service import PASSWORD, Service


def test_a_newcomer_signs_up_allows_an_application_and_takes_it_back(
    page: Page, service: Service, callback: Callback
) -> None:
    client_id = service.client("Sea Reader", callback.uri)
    page.goto(callback.request(client_id))
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    sign_up(page, "newcomer")
    expect(page.get_by_role("status")).to_contain_text("Your account is created")
    log_in(page, "newcomer")
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


def test_cancel_redirects_to_the_application_with_an_error_and_no_code(
    page: Page, service: Service, callback: Callback
) -> None:
    service.person("careful")
    page.goto(callback.request(service.client("Greedy", callback.uri)))
    log_in(page, "careful")
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_url(f"{callback.uri}?**")
    answer = callback.answer()
    assert (answer["error"], answer["state"]) == ("access_denied", "the state")
    assert "code" not in answer


def test_a_wrong_password_is_reported_and_can_be_corrected(
    page: Page, service: Service, callback: Callback
) -> None:
    service.person("forgetful")
    page.goto(callback.request(service.client("Patient", callback.uri)))
    log_in(page, "forgetful", "not the password")
    expect(page.get_by_role("alert")).to_have_text("Login and password do not match.")
    expect(page.get_by_label("Login or email")).to_have_value("forgetful")
    expect(page.get_by_label("Password", exact=True)).to_have_value("")
    log_in(page, "forgetful")
    expect(page.get_by_role("button", name="Allow")).to_be_visible()


def test_a_session_that_expires_before_the_answer_is_renewed_and_the_question_comes_again(
    page: Page, service: Service, callback: Callback
) -> None:
    service.person("slow")
    client_id = service.client("Waiting", callback.uri)
    page.goto(callback.request(client_id, state="käse & brot"))
    log_in(page, "slow")
    expect(page.get_by_role("button", name="Allow")).to_be_visible()
    service.expire_sessions("slow")
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    assert callback.arrived == []
    log_in(page, "slow")
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url(f"{callback.uri}?**")
    answer = callback.answer()
    assert answer["state"] == "käse & brot"
    assert hello(service.address, callback.token(service.address, client_id, answer["code"])) == (
        200,
        "slow",
    )


def test_a_changed_password_ends_the_sessions_of_every_browser(
    page: Page, service: Service, callback: Callback
) -> None:
    service.person("twice")
    browser = page.context.browser
    assert browser is not None
    elsewhere = browser.new_context(base_url=service.address).new_page()
    for tab in (page, elsewhere):
        tab.goto("/password")
        log_in(tab, "twice")
        expect(tab.get_by_role("heading", level=1)).to_have_text("Change password")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New password").fill("another-rope-12")
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_role("status")).to_contain_text("logged out everywhere")
    elsewhere.goto("/applications")
    expect(elsewhere.get_by_role("heading", level=1)).to_have_text("Log in")
    log_in(elsewhere, "twice", "another-rope-12")
    expect(elsewhere.get_by_role("heading", level=1)).to_have_text("My applications")
    elsewhere.context.close()


def test_the_forms_can_be_filled_in_with_the_keyboard_alone(page: Page, service: Service) -> None:
    service.person("typist")
    page.goto("/login")
    expect(page.get_by_label("Login or email")).to_be_focused()
    page.keyboard.type("typist")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Topics")
