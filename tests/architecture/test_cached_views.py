"""What a cached page shows is covered by the mark that it is cached under.

Every cached view is called through the real application, and the SELECTs that its answer is made
of are looked at: each column must be one whose change renews the view's mark, or an exception with
its reason. A page that shows a column of another table would else stay as it is when that changes.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from sqlalchemy import Column, select
from sqlalchemy.sql import visitors

from forumsvc import migrate
from forumsvc.cache.invalidation import CACHED_COLUMNS, LISTS, MARKED_BY, NAMES
from forumsvc.database import open_database
from forumsvc.db.executor import Executor
from forumsvc.models import Base, ChangeMark, Favorite, Node, Reply, Section, Topic, User
from forumsvc.web.http_cache import conditional_requests
from forumsvc.web.http_cache.cache_policy import (
    NODE_LIST,
    REPLY,
    REPLY_LIST,
    TOPIC,
    TOPIC_LIST,
    Mark,
)
from tests.functional.conftest import close_application
from tests.functional.forum import Caller, Forum, make_app

OF_LISTS: tuple[set[str], set[type[Base]]] = ({LISTS, NAMES}, set())
OF_A_TOPIC: tuple[set[str], set[type[Base]]] = ({NAMES}, {Topic, Reply})
"""What a mark is made of: marks in `change_marks`, and the tables under a topic's version."""

MADE_OF: dict[Mark, tuple[set[str], set[type[Base]]]] = {
    TOPIC_LIST: OF_LISTS,
    NODE_LIST: OF_LISTS,
    TOPIC: OF_A_TOPIC,
    REPLY_LIST: OF_A_TOPIC,
    REPLY: OF_A_TOPIC,
}
PATHS: dict[Mark, tuple[str, ...]] = {
    TOPIC_LIST: tuple(
        f"/topics?type={kind}{node}"
        for kind in ("last_actived", "recent", "no_reply", "popular", "excellent")
        for node in ("", "&node_id=1", "&offset=2000")
    ),
    NODE_LIST: ("/nodes",),
    TOPIC: ("/topics/1",),
    REPLY_LIST: ("/topics/1/replies", "/topics/1/replies?offset=1"),
    REPLY: ("/replies/1",),
}
EXCEPTIONS: dict[tuple[type[Base], str], str] = {
    (User, "id"): "an id never changes",
}
"""Columns that no mark covers, and why a page that shows them is never old."""


def columns_of(statement: Any) -> set[Column[Any]]:
    """Return the columns of tables that a statement reads, in its subqueries too.

    An alias of a table counts as the table.
    """
    found = set()
    for element in visitors.iterate(statement):
        if isinstance(element, Column) or hasattr(element, "base_columns"):
            found |= {one for one in element.base_columns if isinstance(one, Column)}
    return {column for column in found if column.table is not None}


def uncovered(mark: Mark, statements: Iterable[Any]) -> set[str]:
    """Return the columns that the statements read and that a view's mark does not cover."""
    marks, versioned = MADE_OF[mark]
    renewing = {model for model, renewed in MARKED_BY.items() if renewed in marks}
    covered = {
        f"{model.__tablename__}.{column.name}"
        for model in renewing | versioned
        for column in model.__table__.columns
        if column.name in CACHED_COLUMNS.get(model, {column.name})
    }
    covered |= {f"{model.__tablename__}.{name}" for model, name in EXCEPTIONS}
    read = {column for statement in statements for column in columns_of(statement)}
    there = ChangeMark.__table__
    return {
        f"{column.table.name}.{column.name}" for column in read if column.table is not there
    } - (covered)


@pytest.fixture(scope="module", params=["bare", "keyed"])
def forum(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Forum]:
    """A forum of that shape with a topic and a reply."""
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
    assert alice.post("/topics/1/replies", body="B").status_int in (200, 201)
    yield forum
    close_application(application)
    database.dispose()


def marked_views(forum: Forum) -> dict[str, Mark]:
    """Return the marks of all cached views, by the views' names."""
    views = forum.registry.introspector.get_category("views")
    found = [view["introspectable"] for view in views]
    return {
        view["callable"].__name__: view["mark"] for view in found if view.get("mark") is not None
    }


def statements_of(forum: Forum, path: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the SELECTs of the answers under the view's mark, to nobody and to a user."""
    bob = forum.caller(forum.token(1))
    # The first SELECT of a caller with a token is the token's, which is never cached.
    return _made_of(forum.nobody, path, monkeypatch) + _made_of(bob, path, monkeypatch)[1:]


def _made_of(caller: Caller, path: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the SELECTs of an answer that is made anew; none of one that no mark covers."""
    run, tag, seen, under_mark = Executor.rows, conditional_requests.tag_of_marks, [], []

    def note(executor: Executor, statement: Any, values: Any) -> Any:
        seen.append(statement)
        return run(executor, statement, values)

    def note_tag(*given: Any) -> str:
        under_mark.append(True)
        return tag(*given)

    with monkeypatch.context() as patch:
        patch.setattr(Executor, "rows", note)
        patch.setattr(conditional_requests, "tag_of_marks", note_tag)
        assert caller.get(path).status_int == 200
    return seen if under_mark else []


def test_every_cached_view_is_looked_at(forum: Forum) -> None:
    assert set(marked_views(forum).values()) == set(PATHS) == set(MADE_OF)


@pytest.mark.parametrize("mark", PATHS, ids=lambda mark: mark.shown.name)
def test_every_column_of_a_cached_page_is_covered_by_its_mark(
    forum: Forum, mark: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = [one for path in PATHS[mark] for one in statements_of(forum, path, monkeypatch)]
    assert len(statements) >= len(PATHS[mark])
    assert uncovered(mark, statements) == set()


def test_a_column_that_no_mark_covers_is_found() -> None:
    columns: tuple[Any, ...] = (Topic.title, User.login)
    listed = select(*columns).join(User, User.id == Topic.user_id)
    assert uncovered(TOPIC_LIST, [listed]) == set()
    assert uncovered(TOPIC_LIST, [listed.add_columns(User.bio)]) == {"users.bio"}
    badge = select(Favorite.id).where(Favorite.topic_id == Topic.id).scalar_subquery()
    assert uncovered(TOPIC_LIST, [listed.add_columns(badge)]) == {
        "favorites.id",
        "favorites.topic_id",
    }
    assert uncovered(NODE_LIST, [select(Node.name, Section.name)]) == set()
    assert uncovered(NODE_LIST, [select(Reply.body)]) == {"replies.body"}
    assert uncovered(REPLY_LIST, [select(Reply.body)]) == set()


def test_an_exception_says_why() -> None:
    assert all(len(reason) > 10 for reason in EXCEPTIONS.values())
