"""Writes the screenshots of the documents: `python -m docs.make_screenshots [FOLDER]`.

FOLDER: where to write, by default docs/images. The screenshots show a service of this checkout with
a temporary demo community. They need the packages of the tests and a Chromium on the PATH.
"""

import sys
import tempfile
from base64 import b64encode
from pathlib import Path
from typing import Literal
from urllib.parse import urljoin

from playwright.sync_api import Browser, Page, ViewportSize
from sqlalchemy import select

from forumsvc.models import Topic
from forumsvc.oauth import explorer
from tests.system.browser.chromium import MISSING, find
from tests.system.browser.launching import launched
from tests.system.browser.people import log_in
from tests.system.guide.demo import demo_service

IMAGES = Path(__file__).parent / "images"
_LOGIN = ("demo", "demo-password")
"""Of a user of the demo community."""
_TAGLINE = "People who write Python, in English and in Chinese"
_DESK = ViewportSize(width=1000, height=1000)
_PHONE = ViewportSize(width=390, height=844)
_PAGES: tuple[tuple[ViewportSize, Literal["light", "dark"], str], ...] = (
    (_DESK, "light", "/"),
    (_DESK, "dark", "/topics/{topic}"),
    (_DESK, "light", "/search?q=python"),
    (_DESK, "dark", "/topics/new"),
    (_PHONE, "light", "/"),
    (_PHONE, "dark", "/topics/{topic}"),
    (_PHONE, "light", "/moderation"),
    (_PHONE, "dark", "/notifications"),
)
"""What the contact sheet shows, as an admin sees it: a row for desks, another for phones."""
_SHEET = """<!doctype html><style>
body {{ margin: 16px; background: #888; display: grid; gap: 16px;
        grid-template-columns: repeat(4, 1fr) }}
img {{ width: 100% }}
</style>{images}"""


def main(folder: Path = IMAGES) -> None:
    """Write forum.png, explorer.png, consent.png and pages.jpg into the folder."""
    program = find()
    if program is None:
        sys.exit(MISSING)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as temporary,
        demo_service(Path(temporary), site__tagline=_TAGLINE) as service,
        launched(program) as browser,
    ):
        with service.database.session.begin() as db:
            explorer.register(db)
        page = browser.new_page(base_url=service.url, viewport={"width": 1000, "height": 620})
        page.goto("/", wait_until="networkidle")
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
        with service.database.session() as db:
            topic = db.scalars(select(Topic.id).order_by(Topic.replies_count.desc())).first()
        pictures = [
            _picture(browser, service.url + path.format(topic=topic), size, theme)
            for size, theme, path in _PAGES
        ]
        sheet = browser.new_page(viewport={"width": 1600, "height": 900})
        sheet.set_content(_SHEET.format(images="".join(pictures)))
        sheet.screenshot(path=folder / "pages.jpg", type="jpeg", quality=70, full_page=True)


def _picture(
    browser: Browser, url: str, size: ViewportSize, theme: Literal["light", "dark"]
) -> str:
    """Return an `img` of the first screen of a page."""
    with browser.new_context(viewport=size, color_scheme=theme) as context:
        page = context.new_page()
        page.goto(urljoin(url, "/login"))
        log_in(page, "admin", _LOGIN[1])
        page.goto(url, wait_until="networkidle")
        data = b64encode(page.screenshot()).decode()
    return f'<img alt="" src="data:image/png;base64,{data}">'


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
