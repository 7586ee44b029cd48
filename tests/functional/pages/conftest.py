"""A forum in which all pages are enabled, and a user."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from forumsvc.cache.page_cache import PageCache
from forumsvc.db.engine import Database
from forumsvc.models import JobKind
from forumsvc.web.limits.abuse_limits import AbuseLimits
from forumsvc.web.limits.rate_limiter import RateLimiter
from tests.functional.conftest import close_application
from tests.functional.forum import Forum, make_app

from .visitor import Mail, Visitor, with_password

OPEN = {
    "accounts.registration": "open",
    "accounts.registrations_per_hour": "1000",
    "accounts.confirm_email": "false",
    "mail.delivery": "folder",
    "mail.requests_per_hour": "1000",
    "oauth.user_registered_clients": "true",
}


@pytest.fixture(scope="package")
def ini_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="package")
def open_application(database_url: str, ini_dir: Path) -> Iterator[Any]:
    """The application with all pages enabled."""
    application = make_app(database_url, ini_dir, **OPEN)
    yield application
    close_application(application)


@pytest.fixture
def forum(
    open_application: Any, database: Database, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Forum]:
    """An empty forum with all pages enabled, which has counted nothing yet."""
    registry = open_application.registry
    settings = registry.forum_settings
    monkeypatch.setattr(registry, "abuse_limits", AbuseLimits(settings, RateLimiter(settings)))
    # Parts of the sitemap are kept by time, and this database has other topics.
    monkeypatch.setattr(registry, "page_cache", PageCache(registry.page_cache.max_bytes))
    yield Forum(open_application, database)
    # What people read in this test is not written while its rows are deleted.
    registry.read_marker.finish()


@pytest.fixture
def ann(forum: Forum) -> int:
    """A user who logs in with PASSWORD."""
    return with_password(forum)


@pytest.fixture
def visitor(forum: Forum) -> Visitor:
    """A browser without a login."""
    return Visitor(forum)


@pytest.fixture
def member(visitor: Visitor, ann: int) -> Visitor:
    """A browser in which ann is logged in."""
    visitor.log_in()
    return visitor


@pytest.fixture
def mail(forum: Forum, ini_dir: Path) -> Iterator[Mail]:
    """Return a function that returns the received messages, oldest first."""
    folder = ini_dir / "var" / "mail"

    yield partial(read_mails, forum, folder)
    for file in folder.glob("*"):
        file.unlink()


def read_mails(forum: Forum, folder: Path) -> list[EmailMessage]:
    """Send what waits, and return the messages in a folder, oldest first."""
    forum.registry.job_runner.run_due(JobKind.MAIL)
    files = sorted(folder.glob("*.eml"))
    return [message_from_bytes(file.read_bytes(), policy=policy.default) for file in files]
