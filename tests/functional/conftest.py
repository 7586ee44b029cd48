"""The real application, driven through WebTest, on each kind of database."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forumsvc.models.engine import Database
from tests.functional.forum import Forum, make_app

MakeForum = Callable[..., Forum]


@pytest.fixture(scope="session")
def application(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The application with the settings of the tests."""
    application = make_app(database_url, tmp_path_factory.mktemp("here"))
    yield application
    put_away(application)


def put_away(application: Any) -> None:
    """End the threads and processes of an application and close its connections."""
    application.registry.hits.close()
    application.registry.authoring.renderer.close()
    application.registry.database.dispose()


@pytest.fixture
def forum(application: Any, database: Database) -> Forum:
    """An empty forum."""
    return Forum(application, database)


@pytest.fixture
def make_forum(database_url: str, database: Database, tmp_path: Path) -> Iterator[MakeForum]:
    """A function: return an empty forum with settings of its own, as keyword `area__setting`."""
    made = []

    def make(**settings: str) -> Forum:
        application = make_app(
            database_url,
            tmp_path,
            **{name.replace("__", "."): value for name, value in settings.items()},
        )
        made.append(application)
        return Forum(application, database)

    yield make
    for application in made:
        put_away(application)
