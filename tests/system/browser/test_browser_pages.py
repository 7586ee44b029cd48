"""The pages need no script, and cannot be framed."""

from playwright.sync_api import Browser, Page, expect

from .callback import Callback
from .people import log_in, log_out
from .service import Service


def test_no_page_needs_a_script(browser: Browser, service: Service) -> None:
    service.person("plain")
    context = browser.new_context(base_url=service.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/login")
    log_in(page, "plain")
    expect(page.get_by_role("heading", level=1)).to_have_text("Topics")
    log_out(page)
    expect(page.get_by_role("status")).to_have_text("You are logged out.")
    context.close()


def test_no_page_can_be_framed(page: Page, service: Service, callback: Callback) -> None:
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(callback.uri)
    with page.expect_event("console"):
        page.evaluate(
            "address => { const frame = document.createElement('iframe');"
            " frame.src = address; document.body.append(frame); }",
            f"{service.address}/login",
        )
    assert "frame" in refused[0].lower()
