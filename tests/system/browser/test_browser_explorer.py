"""The explorer in a real browser: log in by its dialog, list topics, create one."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy import insert

from forumsvc import clock
from forumsvc.models import Node
from forumsvc.oauth import explorer
from forumsvc.pages import display
from forumsvc.web.pipeline.session_cookie import site_cookie_name

from .judges import accessibility_errors
from .people import log_in
from .service import Service

TELL_VIOLATIONS = """addEventListener('securitypolicyviolation', event =>
    console.error('Content-Security-Policy:', event.violatedDirective, event.blockedURI))"""
SIZES = {"desk": (1280, 900), "phone": (360, 740)}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def node(service: Service) -> int:
    """A node; and the explorer's client, as `db upgrade` registers it."""
    with service.database.session.begin() as db:
        explorer.register(db)
        now = clock.now()
        values = {"name": "Rigging", "created_at": now, "updated_at": now}
        return db.execute(insert(Node).values(**values).returning(Node.id)).scalar_one()


@pytest.fixture(params=["desk"])
def page(request: pytest.FixtureRequest, browser: Browser, service: Service) -> Iterator[Page]:
    """A tab of a browser; fails at the end if it logged an error or contacted another host."""
    width, height = SIZES[request.param]
    context = browser.new_context(
        base_url=service.address,
        viewport={"width": width, "height": height},
        color_scheme="dark" if request.param == "phone" else "light",
    )
    context.add_init_script(TELL_VIOLATIONS)
    complaints: list[str] = []
    elsewhere: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.on("request", lambda sent: elsewhere.append(sent.url))
    yield context.new_page()
    context.close()
    # The browser's own advice on its DOM, the icon that it looks for, and a hand that was quicker
    # than a field's wish for the focus are no complaints.
    hushed = ("[DOM]", "Failed to load resource", "Autofocus processing was blocked")
    assert [text for text in complaints if not text.startswith(hushed)] == []
    assert [url for url in elsewhere if not url.startswith((service.address, "data:"))] == []


def operation(page: Page, name: str) -> Locator:
    """Open an operation and return its part of the page."""
    part = page.locator(f"[id$='-{name}'].opblock")
    part.locator(".opblock-summary-control").click()
    return part


def answer_of(part: Locator) -> tuple[str, Any]:
    """Execute an operation and return the displayed status and JSON."""
    part.locator(".execute").click()
    row = part.locator(".live-responses-table .response")
    status = row.locator(".response-col_status").inner_text()
    return status.split()[0], json.loads(row.locator("code").first.inner_text())


@pytest.mark.parametrize(("page", "size"), [(size, size) for size in SIZES], indirect=["page"])
def test_a_person_logs_in_by_the_dialog_and_lists_and_creates_topics(page, size, service, node):
    login = f"skipper-{size}"
    service.person(login)
    page.goto("/docs")
    expect(page.locator(".opblock").first).to_be_visible()
    page.locator(".auth-wrapper .authorize").first.click()
    dialog = page.locator(".modal-ux")
    expect(dialog).to_contain_text("authorizationCode with PKCE")
    with page.expect_popup() as opened:
        dialog.get_by_role("button", name="Apply given OAuth2 credentials").click()
    window = opened.value
    log_in(window, login)
    expect(window.get_by_role("heading", level=1)).to_contain_text("API explorer")
    with window.expect_event("close"):
        window.get_by_role("button", name="Allow").click()
    expect(dialog.get_by_role("button", name="Remove authorization")).to_be_visible()
    dialog.locator(".btn-done").click()

    create = operation(page, "createTopic")
    form = create.locator("textarea")
    form.fill(json.dumps({"title": f"Knots ({size})", "node_id": node, "body": "**Bowline**."}))
    status, topic = answer_of(create)
    assert (status, topic["title"], topic["user"]["login"]) == ("201", f"Knots ({size})", login)

    listed = operation(page, "listTopics")
    # What may be left out is left out: no example of a value is sent unasked.
    status, topics = answer_of(listed)
    assert status == "200"
    assert topic["id"] in [one["id"] for one in topics]
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("page", SIZES, indirect=True)
def test_axe_finds_nothing_but_the_links_inside_of_swagger_uis_buttons(page, node):
    page.goto("/docs")
    for name in ("listTopics", "createTopic"):
        expect(operation(page, name).locator(".execute")).to_be_visible()
    page.locator(".auth-wrapper .authorize").first.click()
    expect(page.locator(".modal-ux")).to_be_visible()
    errors = accessibility_errors(page)
    assert [error.partition(":")[0] for error in errors] == ["nested-interactive"], errors


def test_every_kind_of_operation_is_shown_within_the_policy(page, node):
    page.goto("/docs")
    for name in ("uploadPhoto", "updateProfile", "markRead", "listNotifications"):
        part = operation(page, name)
        expect(part.locator(".execute")).to_be_visible()
    assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize(
    ("page", "chosen"), [("desk", "dark"), ("phone", "light")], indirect=["page"]
)
def test_the_explorer_has_the_theme_that_its_reader_chose(page, service, chosen):
    """The browser prefers the other one."""
    name = site_cookie_name(service.address, display.COOKIE)
    value = display.Display(theme=chosen).to_cookie()
    page.context.add_cookies([{"name": name, "value": value, "url": service.address}])
    page.goto("/docs")
    expect(page.locator("html.dark-mode")).to_have_count(int(chosen == "dark"))
    ground = page.locator("body").evaluate("one => getComputedStyle(one).backgroundColor")
    assert ground == {"dark": "rgb(23, 22, 20)", "light": "rgb(251, 250, 248)"}[chosen]
