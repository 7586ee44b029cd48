"""The layout of the pages: on a phone and on a desktop, in light and dark mode.

With SCREENSHOTS set to a folder, a screenshot of each is stored there.
"""

import os
from collections.abc import Callable
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.system.process import wait_until

from .callback import Callback
from .people import log_in
from .service import Service

SIZES = {"phone": (360, 740), "desk": (1280, 800)}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL = """[...document.querySelectorAll('button, input:not([type=hidden]), .button, nav a')]
    .filter(one => one.getClientRects().length)
    .map(one => (one.closest('label') ?? one).getBoundingClientRect())
    .filter(box => box.height < 24 || box.width < 24).length"""
UNNAMED = """[...document.querySelectorAll('input:not([type=hidden], [hidden]), textarea')]
    .filter(one => !one.labels.length).length"""


Look = Callable[[str], None]


def tour(page: Page, service: Service, callback: Callback, login: str) -> Callable[[Look], None]:
    """Return a function that opens every page and calls `look` on each."""
    client_id = service.client("Harbour for Phones", callback.uri, service.person(login))

    def register(name: str) -> None:
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Redirect URIs").fill("https://boats.example.org/callback")
        page.get_by_role("button", name="Register").click()

    def walk(look: Look) -> None:
        for name, path in (
            ("front", "/"),
            ("signup", "/signup"),
            ("forgotten", "/password/forgotten"),
            ("error", "/oauth/authorize?client_id=nobody"),
            ("stale-link", "/password/reset?reset_token=x"),
            ("guide", "/docs/guide"),
            ("guide-errors", "/docs/guide/errors"),
        ):
            page.goto(path)
            look(name)
        page.goto("/signup")
        page.get_by_label("Login", exact=True).fill("x!")
        page.get_by_label("Email").fill("x@example.org")
        page.get_by_label("Password").fill("password1")
        page.get_by_role("main").get_by_role("button", name="Sign up").click()
        look("signup-wrong")
        page.goto("/password/forgotten")
        page.get_by_label("Email").fill(f"{login}@example.org")
        page.get_by_role("button", name="Send the link").click()
        look("forgotten-sent")
        page.goto(_link(service, login))
        look("reset")
        page.goto(callback.request(client_id))
        look("login")
        log_in(page, login, "wrong")
        look("login-wrong")
        log_in(page, login)
        look("consent")
        page.get_by_role("button", name="Allow").click()
        page.wait_for_url(f"{callback.uri}?**")
        callback.token(service.address, client_id, callback.answer()["code"])
        page.goto("/")
        look("front-logged-in")
        page.goto("/applications")
        look("applications")
        register("Boats & Weather")
        look("registered")
        page.goto("/applications")
        for summary in page.locator("summary").all():
            summary.click()
        look("applications-open")
        page.get_by_label("Redirect URIs").fill("http://not-safe.example.org/")
        page.get_by_label("Name", exact=True).fill("Unsafe")
        page.get_by_role("button", name="Register").click()
        look("applications-wrong")
        page.goto("/password")
        look("password")

    return walk


def _link(service: Service, login: str) -> str:
    found: list[str] = []

    def has_come() -> bool:
        for file in service.mail.glob("*.eml"):
            mail = message_from_bytes(file.read_bytes(), policy=policy.default)
            if mail["To"] == f"{login}@example.org":
                words = mail.get_content().split()
                found.append(next(word for word in words if "/password/reset" in word))
        return bool(found)

    wait_until(has_come, "an email")
    return found[0]


HARMLESS = ("Failed to load resource", "Autofocus processing was blocked")
"""What Chromium notes of answers that are errors, and where a field was focused already."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_page_fits_names_its_fields_and_breaks_no_policy(
    browser: Browser, service: Service, callback: Callback, size: str, scheme: str
) -> None:
    width, height = SIZES[size]
    context = browser.new_context(
        base_url=service.address,
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    folder = os.environ.get("SCREENSHOTS")
    seen = []

    def look(name: str) -> None:
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.evaluate(OVERFLOW) <= 0, name
        assert page.evaluate(SMALL) == 0, name
        assert page.evaluate(UNNAMED) == 0, name
        seen.append(name)
        if folder:
            page.screenshot(path=Path(folder) / f"{size}-{scheme}-{name}.png", full_page=True)

    tour(page, service, callback, f"guest-{size}-{scheme}"[:20])(look)
    assert len(set(seen)) == len(seen)
    assert [text for text in complaints if not text.startswith(HARMLESS)] == []
    context.close()


def test_no_page_needs_a_script(browser: Browser, service: Service) -> None:
    service.person("plain")
    context = browser.new_context(base_url=service.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/login")
    log_in(page, "plain")
    expect(page.get_by_role("heading", level=1)).to_have_text("Topics")
    page.get_by_role("button", name="Log out").click()
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
