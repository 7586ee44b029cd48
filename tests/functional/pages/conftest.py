"""A forum whose pages are all open, and Ann."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forumsvc.db.engine import Database
from tests.functional.conftest import close_application
from tests.functional.forum import Forum, make_app

from .visitor import Visitor, with_password

OPEN = {
    "accounts.registration": "open",
    "accounts.registrations_per_hour": "1000",
    "mail.delivery": "folder",
    "mail.requests_per_hour": "1000",
    "oauth.user_registered_clients": "true",
}


@pytest.fixture(scope="package")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the ini."""
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="package")
def open_application(database_url: str, here: Path) -> Iterator[Any]:
    """The application with everything open."""
    application = make_app(database_url, here, **OPEN)
    yield application
    close_application(application)


@pytest.fixture
def forum(open_application: Any, database: Database) -> Forum:
    """An empty forum with everything open."""
    return Forum(open_application, database)


@pytest.fixture
def ann(forum: Forum) -> int:
    """A user who logs in with PASSWORD."""
    return with_password(forum)


@pytest.fixture
def visitor(forum: Forum) -> Visitor:
    """Somebody with a browser, not logged in."""
    return Visitor(forum)
