"""The provider without the web: a database of each kind, and a clock in the test's hand."""

from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher

from forumsvc import clock, migrate, passwords
from forumsvc.models import Base
from forumsvc.models.engine import Database
from tests import postgres

from .world import Clock, World

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash as the service does, at a thousandth of the cost."""
    monkeypatch.setattr(passwords, "_hasher", CHEAP)
    monkeypatch.setattr(passwords, "_NOBODYS", CHEAP.hash("a password that nobody has"))


def _migrate(url: str) -> None:
    database = Database(url)
    migrate.upgrade(database.writes)
    database.dispose()


@pytest.fixture(params=["sqlite", "postgresql"], scope="session")
def url(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
) -> str:
    """A database of this process, as the migrations make it."""
    folder = tmp_path_factory.getbasetemp()
    if request.param == "sqlite":
        address = f"sqlite:///{folder / 'oauth.sqlite'}"
        _migrate(address)
        return address
    shared = folder.parent if worker_id != "master" else folder
    running = postgres.server(shared)
    template = postgres.template_database(shared, running, _migrate)
    return postgres.create_database(running, f"oauth_{worker_id}", template)


@pytest.fixture(scope="session")
def engines(url: str) -> Iterator[Database]:
    """The engines of the database."""
    database = Database(url)
    yield database
    database.dispose()


@pytest.fixture
def database(engines: Database) -> Iterator[Database]:
    """The database, emptied after the test."""
    yield engines
    with engines.writes.begin() as connection:
        for table in reversed(Base.metadata.sorted_tables):
            connection.execute(table.delete())


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
