"""A Chromium that waits for a busy machine, for the tests and for the screenshots."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.system.process import PATIENCE

from .chromium import FLAGS

_PATIENCE_MS = PATIENCE * 1000
expect.set_options(timeout=_PATIENCE_MS)


@contextmanager
def launched(program: str) -> Iterator[Browser]:
    """Start a Chromium, and close it afterwards. Its pages wait PATIENCE seconds for everything."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=FLAGS, timeout=_PATIENCE_MS
        )
        browser.on("context", _be_patient)
        yield browser
        browser.close()


def _be_patient(context: BrowserContext) -> None:
    context.set_default_timeout(_PATIENCE_MS)
