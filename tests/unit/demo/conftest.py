"""The demo without the command line, in databases of both kinds."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from forumsvc.database import open_database
from forumsvc.db.engine import Database
from forumsvc.demo import LoadResult, Size, load
from forumsvc.markup import Renderer
from tests import databases

SIZE = Size(users=300, topics=2000, replies=4000)
"""So large that SQL makes nine tenths of the posts."""
SEED = 7


@pytest.fixture(scope="session")
def new_database(
    tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Iterator[Callable[[str], Database]]:
    """Create an empty forum in a database of the given kind."""
    made: list[Database] = []

    def make(kind: str) -> Database:
        name = f"demo{len(made)}"
        made.append(open_database(databases.new_url(kind, name, tmp_path_factory, worker_id)))
        return made[-1]

    yield make
    for database in made:
        database.dispose()


@pytest.fixture(params=databases.KINDS, scope="session")
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of database."""
    word: str = request.param
    return word


@pytest.fixture
def empty(new_database: Callable[[str], Database], kind: str) -> Database:
    """An empty forum for this test only."""
    return new_database(kind)


@pytest.fixture(scope="session")
def fill() -> Callable[..., LoadResult]:
    """Fill a database with a demo."""
    renderer = Renderer(workers=0)

    def filled(
        database: Database, size: Size = SIZE, seed: int = SEED, **options: Any
    ) -> LoadResult:
        return load(database, size, seed, **{"renderer": renderer, **options})

    return filled


@pytest.fixture(scope="session")
def demos(
    new_database: Callable[[str], Database], fill: Callable[..., LoadResult]
) -> Callable[[str], Database]:
    """The demo of `SIZE` and `SEED` in a database of the given kind, read-only."""
    loaded: dict[str, Database] = {}

    def demo(kind: str) -> Database:
        if kind not in loaded:
            loaded[kind] = new_database(kind)
            fill(loaded[kind])
        return loaded[kind]

    return demo


@pytest.fixture
def demo(demos: Callable[[str], Database], kind: str) -> Database:
    """The demo of `SIZE` and `SEED`, read-only."""
    return demos(kind)
