"""The number of SQL statements of a write, which does not depend on the number of recipients."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Connection, Select, text

from forumsvc.models import TopicFollow
from forumsvc.queries import replies, topics
from tests.cases import each
from tests.functional.forum import Forum, Person, add_followers
from tests.functional.rows import insert_rows
from tests.functional.statements import of_request

pytestmark = pytest.mark.both_databases

Request = tuple[str, str, dict[str, Any]]


@dataclass
class Scene:
    """A topic and a reply of alice; bob is about to write something."""

    forum: Forum
    alice: Person
    bob: Person
    chief: Person
    node: int
    other: int
    topic: int
    reply: int


@pytest.fixture
def scene(forum: Forum) -> Scene:
    alice, bob = forum.person("alice"), forum.person("bob")
    chief, node = forum.person("chief", role="admin"), forum.node()
    topic = forum.topic(alice, node)
    reply = forum.reply(alice, topic)
    return Scene(forum, alice, bob, chief, node, forum.node("Other"), topic, reply)


def _topic(scene: Scene, body: str = "B", node: int | None = None) -> dict[str, Any]:
    return {"title": "New", "node_id": node or scene.node, "body": body}


WRITES: dict[str, tuple[str, Callable[[Scene], Request], int, int]] = {
    "open a topic": ("bob", lambda s: ("POST", "/topics", _topic(s)), 9, 9),
    "open a topic with a mention": (
        "bob",
        lambda s: ("POST", "/topics", _topic(s, "@alice")),
        10,
        10,
    ),
    "edit a topic": ("alice", lambda s: ("PUT", f"/topics/{s.topic}", _topic(s)), 7, 7),
    "edit a topic, adding a mention": (
        "alice",
        lambda s: ("PUT", f"/topics/{s.topic}", _topic(s, "@bob")),
        10,
        11,
    ),
    "move a topic": (
        "chief",
        lambda s: ("PUT", f"/topics/{s.topic}", _topic(s, "B", s.other)),
        15,
        16,
    ),
    "delete a topic": ("alice", lambda s: ("DELETE", f"/topics/{s.topic}", {}), 11, 12),
    "ban a topic": ("chief", lambda s: ("POST", f"/topics/{s.topic}/action?type=ban", {}), 12, 13),
    "close a topic": (
        "alice",
        lambda s: ("POST", f"/topics/{s.topic}/action?type=close", {}),
        6,
        6,
    ),
    "reply": ("bob", lambda s: ("POST", f"/topics/{s.topic}/replies", {"body": "B"}), 10, 10),
    "reply with a mention": (
        "bob",
        lambda s: ("POST", f"/topics/{s.topic}/replies", {"body": "@alice"}),
        11,
        11,
    ),
    "edit a reply": ("alice", lambda s: ("POST", f"/replies/{s.reply}", {"body": "N"}), 7, 7),
    "delete a reply": ("alice", lambda s: ("DELETE", f"/replies/{s.reply}", {}), 13, 14),
    "delete a reply before others": ("alice", lambda s: _delete_older(s), 15, 16),
    "like a topic": ("bob", lambda s: ("POST", "/likes", _like("topic", s.topic)), 6, 6),
    "like a reply": ("bob", lambda s: ("POST", "/likes", _like("reply", s.reply)), 6, 6),
    "take back a like that is not there": (
        "bob",
        lambda s: ("DELETE", "/likes", _like("topic", s.topic)),
        4,
        4,
    ),
    "follow a topic": ("bob", lambda s: ("POST", f"/topics/{s.topic}/follow", {}), 4, 4),
    "favor a topic": ("bob", lambda s: ("POST", f"/topics/{s.topic}/favorite", {}), 5, 5),
    "follow a user": ("bob", lambda s: ("POST", f"/users/{s.alice.id}/follow", {}), 7, 8),
    "block a user": ("bob", lambda s: ("POST", f"/users/{s.alice.id}/block", {}), 3, 3),
    "mark notifications read": (
        "bob",
        lambda s: ("POST", "/notifications/read", {"ids": ""}),
        1,
        1,
    ),
    "delete all notifications": ("alice", lambda s: ("DELETE", "/notifications/all", {}), 3, 4),
}
"""User, request, and the statements on SQLite and on PostgreSQL, including the token's."""


def _like(kind: str, liked: int) -> dict[str, Any]:
    return {"obj_type": kind, "obj_id": liked}


def _delete_older(scene: Scene) -> Request:
    older = scene.forum.reply(scene.alice, scene.topic)
    scene.forum.reply(scene.bob, scene.topic)
    return "DELETE", f"/replies/{older}", {}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_costs_as_many_statements_as_stated(scene: Scene, name: str) -> None:
    who, make, on_sqlite, on_postgresql = WRITES[name]
    method, path, params = make(scene)
    seen = of_request(scene.forum, getattr(scene, who), method, path, **params)
    stated = on_sqlite if scene.forum.database.is_sqlite else on_postgresql
    assert len(seen) == stated, "\n".join(seen.texts)


@each("name", ["reply", "edit a reply", "edit a topic"])
def test_what_a_request_has_locked_or_made_it_does_not_lock_again(scene: Scene, name: str) -> None:
    who, make, *_ = WRITES[name]
    method, path, params = make(scene)
    seen = of_request(scene.forum, getattr(scene, who), method, path, **params)
    locks = [each for each in seen.texts if "FOR NO KEY UPDATE OF topics" in each]
    assert len(locks) == (0 if scene.forum.database.is_sqlite else 1), "\n".join(seen.texts)


@pytest.mark.parametrize(
    "name",
    ["open a topic", "reply", "delete a topic", "ban a topic", "delete a reply before others"],
)
def test_a_write_costs_the_same_however_many_are_notified(scene: Scene, name: str) -> None:
    people = add_followers(scene.forum.database, scene.bob, 30)
    with scene.forum.database.session.begin() as db:
        rows = [{"user_id": person, "topic_id": scene.topic} for person in people]
        insert_rows(db, TopicFollow, rows)
    test_a_write_costs_as_many_statements_as_stated(scene, name)


@each("table", ["replies", "topics"])
def test_what_was_just_written_is_found_by_its_key(forum: Forum, table: str) -> None:
    statement = {"replies": replies._CREATED, "topics": topics._CREATED}[table]
    with forum.database.writes.connect() as db:
        if forum.database.is_sqlite:
            plan = explained(db, f"EXPLAIN QUERY PLAN {rendered(statement, db)}")
            assert f"SEARCH {table} USING INTEGER PRIMARY KEY" in plan
        else:
            db.execute(text("SET LOCAL enable_seqscan = off"))
            plan = explained(db, f"EXPLAIN {rendered(statement, db)}")
            assert f"Index Scan using pk_{table} on {table}" in plan


def rendered(statement: Select[Any], db: Connection) -> str:
    """Return the SQL of a statement with its values, for this database."""
    return str(statement.compile(db, compile_kwargs={"literal_binds": True}))


def explained(db: Connection, statement: str) -> str:
    """Return the output of an EXPLAIN."""
    return "\n".join(map(str, db.exec_driver_sql(statement)))
