"""A browser, a service, and an application that waits for the redirect."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from forumsvc import migrate
from tests import databases
from tests.functional.conftest import close_application
from tests.functional.forum import Forum, make_app

from .callback import Callback
from .chromium import MISSING, find
from .launching import launched
from .service import Service, running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("service")) as service:
        yield service


@contextmanager
def forum_in(folder: Path, url: str = "", **settings: str) -> Iterator[Forum]:
    """Make a forum in this process, by default with a database of its own in `folder`."""
    with databases.open_temporarily(url or f"sqlite:///{folder}/here.sqlite") as database:
        migrate.upgrade(database.writes)
        place = database.url.render_as_string(hide_password=False)
        application = make_app(place, folder, **settings)
        yield Forum(application, database)
        close_application(application)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. Without one the tests are deselected, or fail here if it is required."""
    program = find()
    assert program is not None, MISSING
    with launched(program) as browser:
        yield browser


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
