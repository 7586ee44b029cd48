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
def oauth(database: Database, monkeypatch: pytest.MonkeyPatch) -> OAuthFixture:
    """A database with a user and two clients, and the clock of the service in `oauth.time`."""
    time = ManualClock()
    monkeypatch.setattr(clock, "now", time.now)
    return OAuthFixture(database, time)
