"""Fixtures for the OAuth provider without the web: a database, and a clock that tests control."""

import pytest
from argon2 import PasswordHasher

from forumsvc import clock, passwords
from forumsvc.db.engine import Database

from .oauth_fixture import ManualClock, OAuthFixture

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords with minimal cost."""
    monkeypatch.setattr(passwords, "_hasher", CHEAP)
    monkeypatch.setattr(passwords, "_DUMMY_HASH", CHEAP.hash("a password that nobody has"))


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
