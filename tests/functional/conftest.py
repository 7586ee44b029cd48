"""The real application, driven through WebTest, on each kind of database."""

import re
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.db.executor import Executor
from forumsvc.markup import renderer
from forumsvc.process import passwords
from forumsvc.sandbox import SandboxPool
from forumsvc.web.responses.renderer import ApiRenderer
from tests import databases
from tests.cheap_passwords import cheap_passwords
from tests.functional.forum import Forum, Person, configure_again, ini_of, make_app
from tests.functional.slow_work import slow_work_is_refused_under_locks

MakeForum = Callable[..., Forum]


class _SharedPool(SandboxPool):
    def close(self, seconds: float) -> None:
        """Outlive the applications."""


@pytest.fixture(scope="package", autouse=True)
def shared_pools() -> Iterator[None]:
    """Rendering processes that all applications of this process share: they start slowly."""
    pools: dict[int, SandboxPool] = {}

    def shared(task: str, size: int, max_memory: int) -> SandboxPool:
        return pools.setdefault(size, _SharedPool(task, size, max_memory))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(renderer, "SandboxPool", shared)
        yield
    for pool in pools.values():
        SandboxPool.close(pool, 1)


@pytest.fixture(scope="session")
def application(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The application with the settings of the tests."""
    application = make_app(database_url, tmp_path_factory.mktemp("here"))
    yield application
    close_application(application)


def close_application(application: Any) -> None:
    """End the threads and processes of an application and close its connections."""
    registry = application.registry
    for service in (registry.view_counter, registry.read_marker, registry.session_uses):
        service.close()
    registry.authoring.renderer.close()
    registry.database.dispose()


@pytest.fixture
def forum(application: Any, database: Database) -> Iterator[Forum]:
    """An empty forum."""
    yield Forum(application, database)
    # What people read in this test is not written during the next one.
    application.registry.read_marker.finish()


@pytest.fixture
def alice(forum: Forum) -> Person:
    """A user."""
    return forum.person("alice")


@pytest.fixture
def bob(forum: Forum) -> Person:
    """Another user."""
    return forum.person("bob")


@pytest.fixture
def node(forum: Forum) -> int:
    """The id of a node."""
    return forum.node()


@pytest.fixture
def chief(forum: Forum) -> Person:
    """A maintainer."""
    return forum.person("chief", role="maintainer", scope="read write moderate")


@pytest.fixture
def topic(forum: Forum, alice: Person, node: int) -> int:
    """The id of a topic of Alice's."""
    return forum.topic(alice, node)


READ_BY_VIEWS = re.compile(
    r"(api|docs|http|idempotency|metrics|pages)\.|posts\.max_|"
    r"webhooks\.allow_private$"
)
"""The settings that are read when views, schemas, tweens and routes are registered."""


@pytest.fixture(scope="session")
def idle_applications() -> dict[Any, list[Any]]:
    """The applications of `make_forum` that no test uses, by what their views have read.

    To register all views takes longer than most tests; so only the services are made anew.
    """
    return {}


@pytest.fixture
def make_forum(
    database_url: str,
    database: Database,
    tmp_path: Path,
    idle_applications: dict[Any, list[Any]],
) -> Iterator[MakeForum]:
    """A function that returns an empty forum with other settings, as keywords `area__setting`."""
    made = []

    def make(**settings: str) -> Forum:
        named = {name.replace("__", "."): value for name, value in settings.items()}
        read = {name: value for name, value in named.items() if READ_BY_VIEWS.match(name)}
        key = database_url, frozenset(read.items())
        if idle_applications.get(key) and "metrics.enabled" not in named:
            application = idle_applications[key].pop()
            configure_again(application, tmp_path, ini_of(database_url, named))
        else:
            application = make_app(database_url, tmp_path, **named)
        made.append((key, application))
        return Forum(application, database)

    yield make
    for key, application in made:
        close_application(application)
        idle_applications.setdefault(key, []).append(application)


@pytest.fixture(params=databases.KINDS)
def target(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Iterator[Database]:
    """A second, empty database of each kind."""
    name = f"target_{abs(hash(request.node.nodeid))}"
    url = databases.new_url(request.param, name, tmp_path_factory, worker_id)
    with databases.open_temporarily(url) as opened:
        yield opened


@pytest.fixture(scope="package", autouse=True)
def cheap_hashes() -> Iterator[None]:
    """Hash passwords with minimal cost. Not in commands that run in a process of their own."""
    with cheap_passwords():
        yield


@pytest.fixture(autouse=True)
def unbounded_password_slots() -> Iterator[None]:
    """Remove the limit, which is one of the process, and this process has many applications."""
    # Not by the fixture `monkeypatch`: what a test patches is undone before its database is
    # emptied.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_slots", None)
        yield


@pytest.fixture(scope="package", autouse=True)
def sql_is_refused_while_rendering() -> Iterator[None]:
    """Fail every request whose renderer runs an SQL statement."""
    local = threading.local()
    render, run = ApiRenderer.__call__, Executor._render

    def refuse() -> None:
        assert not getattr(local, "is_rendering", False), "the renderer runs SQL"

    def guarded_render(self: ApiRenderer, *args: Any) -> bytes:
        local.is_rendering = True
        try:
            return render(self, *args)
        finally:
            local.is_rendering = False

    def guarded_run(self: Executor, *args: Any) -> Any:
        refuse()
        return run(self, *args)

    def before_execute(*args: Any) -> None:
        refuse()

    event.listen(Engine, "before_cursor_execute", before_execute)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ApiRenderer, "__call__", guarded_render)
        patch.setattr(Executor, "_render", guarded_run)
        yield
    event.remove(Engine, "before_cursor_execute", before_execute)


@pytest.fixture(scope="package", autouse=True)
def slow_work_is_refused() -> Iterator[None]:
    """Fail every request that hashes, renders or decodes while it holds a lock."""
    with slow_work_is_refused_under_locks():
        yield


@pytest.fixture
def advancing_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[], datetime]:
    """A clock that advances a second with each call: no two requests have the same time."""
    start = clock.now() - timedelta(minutes=30)
    seconds = count()

    def now() -> datetime:
        return start + timedelta(seconds=next(seconds))

    monkeypatch.setattr(clock, "now", now)
    return now


@pytest.fixture
def frozen_clock(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """A clock that does not advance: all requests have the same time."""
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)
    return moment
