"""Writes the screenshots of the README: `python -m docs.make_screenshots [FOLDER]`.

FOLDER: where to write, by default docs/images. The screenshots show a service of this checkout with
a temporary demo community. They need the packages of the tests and a Chromium on the PATH.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from forumsvc.oauth import explorer
from tests.system.browser.chromium import FLAGS, MISSING, find
from tests.system.browser.people import log_in
from tests.system.guide.demo import demo_service

IMAGES = Path(__file__).parent / "images"
_LOGIN = ("demo", "demo-password")
"""Of a user of the demo community."""


def main(folder: Path = IMAGES) -> None:
    """Write forum.png, explorer.png and consent.png into the folder."""
    program = find()
    if program is None:
        sys.exit(MISSING)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as temporary,
        demo_service(Path(temporary)) as service,
        sync_playwright() as playwright,
    ):
        with service.database.session.begin() as db:
            explorer.register(db)
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(base_url=service.url, viewport={"width": 1000, "height": 620})
        page.goto("/")
        page.screenshot(path=folder / "forum.png")
        page.set_viewport_size({"width": 1200, "height": 900})
        page.goto("/docs")
        _list_nodes(page)
        page.screenshot(path=folder / "explorer.png")
        window = _open_login(page)
        log_in(window, *_LOGIN)
        window.set_viewport_size({"width": 800, "height": 460})
        window.get_by_role("button", name="Allow").wait_for()
        window.screenshot(path=folder / "consent.png")
        browser.close()


def _list_nodes(page: Page) -> None:
    """Execute an operation, and scroll to it."""
    operation = page.locator("[id$='-listNodes'].opblock")
    operation.locator(".opblock-summary-control").click()
    operation.locator(".execute").click()
    operation.locator(".live-responses-table .response").wait_for()
    page.locator("[id='operations-tag-Nodes']").evaluate("tag => tag.scrollIntoView()")


def _open_login(page: Page) -> Page:
    """Return the window that the explorer's dialog opens."""
    page.locator(".auth-wrapper .authorize").first.click()
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Apply given OAuth2 credentials").click()
    return opened.value


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
