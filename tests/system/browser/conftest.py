"""A browser, a service, and an application that waits for the redirect."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests import databases

from .callback import Callback
from .chromium import FLAGS, MISSING, find
from .service import Service, running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Service]:
    """The running service."""
    folder = tmp_path_factory.mktemp("service")
    url = databases.new_url("sqlite", f"{folder.name}-browser", tmp_path_factory, worker_id)
    with running(folder, url) as service:
        yield service


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. Without one the tests are deselected, or fail here if it is required."""
    program = find()
    assert program is not None, MISSING
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, service: Service) -> Iterator[Page]:
    """A new tab of a browser without cookies."""
    context = browser.new_context(base_url=service.address)
    yield context.new_page()
    context.close()


@pytest.fixture
def callback() -> Iterator[Callback]:
    """An application's redirect URI, to which the browser is redirected."""
    arrived: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            arrived.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(b"back at the application")

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Callback(f"http://127.0.0.1:{server.server_port}/back", arrived)
    server.shutdown()
    server.server_close()
    thread.join()
