"""A browser, a service, and an application that waits for the redirect."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests import databases

from .callback import Callback
from .chromium import FLAGS, MISSING, find
from .service import Service, running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Service]:
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

    def arrive(handler: BaseHTTPRequestHandler) -> None:
        arrived.append(handler.path)
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.end_headers()
        handler.wfile.write(b"back at the application")

    with answering(arrive) as address:
        yield Callback(f"{address}/back", arrived)


@pytest.fixture
def hopping_callback(callback: Callback) -> Iterator[Callback]:
    """A redirect URI that redirects further, to another origin."""

    def redirect(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", f"{callback.uri}?{handler.path.partition('?')[2]}")
        handler.end_headers()

    with answering(redirect) as address:
        yield Callback(f"{address}/hop", callback.arrived)


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """Serve GET on a port of the loopback; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()
