"""The provider without the web: a small forum, and a clock in the test's hand."""

import pytest
from argon2 import PasswordHasher

from forumsvc import clock, passwords
from forumsvc.db.engine import Database

from .world import Clock, World

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash as the service does, at a thousandth of the cost."""
    monkeypatch.setattr(passwords, "_hasher", CHEAP)
    monkeypatch.setattr(passwords, "_NOBODYS", CHEAP.hash("a password that nobody has"))


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The service's only clock, in the test's hand."""
    hand = Clock()
    monkeypatch.setattr(clock, "now", hand.now)
    return hand


@pytest.fixture
def world(database: Database) -> World:
    """A small forum."""
    return World(database)
