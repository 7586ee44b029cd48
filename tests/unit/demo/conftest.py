"""The demo without the command line: databases of both kinds, and the service's renderer."""

from collections.abc import Callable, Iterator

import pytest

from forumsvc.database import open_database
from forumsvc.db.engine import Database
from forumsvc.demo import LoadResult, Size, load
from forumsvc.demo.texts import Render
from forumsvc.markup import RENDERER_VERSION, RenderedText
from forumsvc.markup.pipeline import Pipeline
from tests import databases

SIZE = Size(users=60, topics=260, replies=1500)
SEED = 7


@pytest.fixture(scope="session")
def render() -> Render:
    """The service's renderer, with every mention linked."""
    pipeline = Pipeline()

    def rendered(text: str) -> str:
        draft = RenderedText(tuple(pipeline.render(text, "forum.example")))
        return draft.to_html({it.lower(): it for it in draft.mentions}, "/{login}")

    return rendered


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
def fill(render: Render) -> Callable[..., LoadResult]:
    """Fill a database with a demo."""

    def filled(database: Database, size: Size = SIZE, seed: int = SEED) -> LoadResult:
        return load(
            database.writes,
            size,
            seed,
            password_hash="$argon2id$made-up",
            render=render,
            markup_version=RENDERER_VERSION,
        )

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
