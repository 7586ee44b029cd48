"""Fixtures for the OAuth provider without the web: a database, and a clock that tests control."""

from collections.abc import Iterator

import pytest

from forumsvc import clock
from forumsvc.db.engine import Database
from tests.cheap_passwords import cheap_passwords

from .oauth_fixture import ManualClock, OAuthFixture


@pytest.fixture(autouse=True)
def cheap_hashes() -> Iterator[None]:
    """Hash passwords with minimal cost."""
    with cheap_passwords():
        yield


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """Replace the clock of the service by one that the test controls."""
    manual_clock = ManualClock()
    monkeypatch.setattr(clock, "now", manual_clock.now)
    return manual_clock


@pytest.fixture
def oauth(database: Database) -> OAuthFixture:
    """A database with a user and two clients."""
    return OAuthFixture(database)
