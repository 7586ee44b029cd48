"""What a cached page shows is covered by the versions that it is cached under.

Every cached view of the API and every page from the page cache is called through the real
application, and the SELECTs of its response are examined: a change of each column must change a
version of the view, or be an exception with its reason. Otherwise the cached page would stay as it
is when the column changes.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import Column, select
from sqlalchemy.sql import visitors

from forumsvc import migrate
from forumsvc.cache.database import open_database
from forumsvc.cache.invalidation import (
    CACHED_COLUMNS,
    CACHED_OF_STAFF,
    DISPLAY_NAMES,
    INVALIDATES,
    TOPIC_LISTS,
)
from forumsvc.db.executor import Executor
from forumsvc.models import (
    Base,
    CacheVersion,
    Favorite,
    Notification,
    Reply,
    Topic,
    User,
    UserBlock,
)
from forumsvc.pages import public_cache
from forumsvc.queries.staff import _STAFF as STAFF
from forumsvc.web.http_cache import conditional_requests
from forumsvc.web.http_cache.cache_policy import (
    NODE_LIST,
    NOTIFICATION_LIST,
    REPLY,
    REPLY_LIST,
    SITE,
    TOPIC,
    TOPIC_LIST,
    CachePolicy,
)
from tests.cases import each
from tests.functional.conftest import close_application
from tests.functional.forum import Forum, make_app

LIST_VERSIONS: tuple[set[str], set[type[Base]]] = ({TOPIC_LISTS, DISPLAY_NAMES}, set())
TOPIC_VERSIONS: tuple[set[str], set[type[Base]]] = ({DISPLAY_NAMES}, {Topic, Reply})
"""The kinds of cache version, and the tables that the version of a topic covers."""

VERSIONS: dict[CachePolicy, tuple[set[str], set[type[Base]]]] = {
    TOPIC_LIST: LIST_VERSIONS,
    NODE_LIST: LIST_VERSIONS,
    TOPIC: TOPIC_VERSIONS,
    REPLY_LIST: TOPIC_VERSIONS,
    REPLY: TOPIC_VERSIONS,
    SITE: (set(), set()),
    NOTIFICATION_LIST: ({DISPLAY_NAMES}, {Topic, Reply, Notification, UserBlock}),
}
PATHS: dict[CachePolicy, tuple[str, ...]] = {
    TOPIC_LIST: tuple(
        f"/topics?type={kind}{node}"
        for kind in ("last_actived", "recent", "no_reply", "popular", "excellent")
        for node in ("", "&node_id=1", "&offset=2000")
    ),
    NODE_LIST: ("/nodes",),
    TOPIC: ("/topics/1",),
    REPLY_LIST: ("/topics/1/replies", "/topics/1/replies?offset=1"),
    REPLY: ("/replies/1",),
    SITE: ("/site",),
    NOTIFICATION_LIST: ("/notifications", "/notifications?include=text"),
}
FEEDS_OF_USER = {
    "user_atom": ("/users/alice/feed.xml",),
    "user_json": ("/users/alice/feed.json",),
}
"""Of the row in the resource, which is read before the versions, they show the login alone."""
PAGES: dict[str, tuple[str, ...]] = {
    "home": ("/",),
    "topics": ("/topics", "/topics/popular"),
    "topics_recent": ("/topics/last",),
    "topics_popular": ("/topics/popular",),
    "topics_no_reply": ("/topics/no_reply",),
    "topics_excellent": ("/topics/excellent",),
    "node": ("/topics/node1",),
    "node_recent": ("/topics/node1/last",),
    "node_popular": ("/topics/node1/popular",),
    "node_no_reply": ("/topics/node1/no_reply",),
    "node_excellent": ("/topics/node1/excellent",),
    "topic": ("/topics/1", "/topics/1?from=2"),
    "topics_atom": ("/topics/feed.xml",),
    "topics_json": ("/topics/feed.json",),
    "node_atom": ("/nodes/1/feed.xml",),
    "node_json": ("/nodes/1/feed.json",),
    **FEEDS_OF_USER,
}
"""The pages for visitors that come from the page cache, by their routes."""


def columns_of(statement: Any) -> set[Column[Any]]:
    """Return the columns of tables that a statement reads, in its subqueries too.

    An alias of a table counts as the table.
    """
    found = set()
    for element in visitors.iterate(statement):
        if isinstance(element, Column) or hasattr(element, "base_columns"):
            found |= {one for one in element.base_columns if isinstance(one, Column)}
    return {column for column in found if column.table is not None}


def uncovered(policy: CachePolicy, statements: Iterable[Any]) -> set[str]:
    """Return the columns that the statements read and that a view's versions do not cover."""
    kinds, versioned = VERSIONS[policy]
    invalidating = {model for model, kind in INVALIDATES.items() if kind in kinds}
    covered = {
        f"{model.__tablename__}.{column.name}"
        for model in invalidating | versioned
        for column in model.__table__.columns
        if column.name in CACHED_COLUMNS.get(model, {column.name})
    }
    covered.add("users.id")  # an id never changes
    read = {
        column
        for statement in statements
        for column in columns_of(statement)
        if statement is not STAFF or column.name not in CACHED_OF_STAFF
    }
    there = CacheVersion.__table__
    names = {f"{column.table.name}.{column.name}" for column in read if column.table is not there}
    return names - covered


@pytest.fixture(scope="module", params=["bare", "keyed"])
def forum(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Forum]:
    """A forum of that shape with a topic of a user who blocks somebody, and two replies."""
    here = tmp_path_factory.mktemp(request.param)
    url = f"sqlite:///{here / 'forum.sqlite'}"
    database = open_database(url)
    migrate.upgrade(database.writes)
    application = make_app(url, here, **{"api.envelope": request.param})
    application.registry.page_cache.put = lambda *given: None
    forum = Forum(application, database)
    alice = forum.person("alice")
    made = alice.post("/topics", title="T", node_id=forum.node(), body="B")
    assert made.status_int in (200, 201)
    carl = forum.person("carl")
    for person in (alice, carl):
        assert person.post("/topics/1/replies", body="B").status_int in (200, 201)
    assert alice.post("/users/carl/block").status_int == 200
    yield forum
    close_application(application)
    database.dispose()


def statements_of(forum: Forum, path: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the SELECTs of the cacheable responses to an anonymous caller and to a user."""
    bob = forum.caller(forum.token(1))
    of_nobody, of_bob = (
        [*chain(*_made_of(partial(caller.get, path), conditional_requests, monkeypatch))]
        if caller is bob or not path.startswith("/notifications")
        else []
        for caller in (forum.nobody, bob)
    )
    # The first SELECT of a caller with a token is the token's, which is never cached.
    return of_nobody + of_bob[1:]


def _made_of(
    send: Callable[[], Any], module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Any], list[Any]]:
    """Return the SELECTs of a response up to its versions and behind them, or none where none
    cover it. module: where they are read, or made an ETag.
    """
    name = "_versions" if module is conditional_requests else "etag_of_versions"
    run, tag = Executor.rows, getattr(module, name)
    before: list[Any] = []
    behind: list[Any] = []
    is_covered: list[bool] = []

    def note(executor: Executor, statement: Any, values: Any) -> Any:
        (behind if is_covered else before).append(statement)
        return run(executor, statement, values)

    def note_versions(*given: Any) -> Any:
        versions = tag(*given)
        is_covered.extend([] if versions is None else [True])
        return versions

    with monkeypatch.context() as patch:
        patch.setattr(Executor, "rows", note)
        patch.setattr(module, name, note_versions)
        assert send().status_int == 200
    return (before, behind) if is_covered else ([], [])


def cached_views(forum: Forum) -> list[dict[str, Any]]:
    """Return the views that have a cache policy."""
    views = [view["introspectable"] for view in forum.registry.introspector.get_category("views")]
    return [view for view in views if view.get("cache_policy") is not None]


def page_policies(forum: Forum) -> dict[str, CachePolicy]:
    """Return the cache policies of the pages for visitors, by their routes."""
    policies = {view["route_name"]: view["cache_policy"] for view in cached_views(forum)}
    return {route: policy for route, policy in policies.items() if route != "api"}


def test_every_cached_view_is_tested(forum):
    assert {view["cache_policy"] for view in cached_views(forum)} == set(PATHS) == set(VERSIONS)
    assert set(page_policies(forum)) == set(PAGES)


@each("policy", PATHS)
def test_every_column_of_a_cached_page_is_covered_by_its_versions(forum, policy, monkeypatch):
    statements = [one for path in PATHS[policy] for one in statements_of(forum, path, monkeypatch)]
    # The site is made of settings alone.
    assert bool(statements) is (policy is not SITE)
    assert policy is SITE or len(statements) >= len(PATHS[policy])
    assert uncovered(policy, statements) == set()


@each("route", PAGES)
def test_every_column_of_a_page_for_visitors_is_covered_by_its_versions(forum, route, monkeypatch):
    policy = page_policies(forum)[route]
    for path in PAGES[route]:
        before, behind = _made_of(partial(forum.app.get, path), public_cache, monkeypatch)
        assert behind, path
        shown = behind if route in FEEDS_OF_USER else before + behind
        assert uncovered(policy, shown) == set(), path


def test_a_column_that_no_version_covers_is_found():
    columns: tuple[Any, ...] = (Topic.title, User.login)
    listed = select(*columns).join(User, User.id == Topic.user_id)
    assert uncovered(TOPIC_LIST, [listed]) == set()
    badge = select(Favorite.id).scalar_subquery()
    found = uncovered(TOPIC_LIST, [listed.add_columns(User.bio, badge)])
    assert found == {"users.bio", "favorites.id"}
