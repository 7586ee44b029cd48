"""The number of SQL statements of a write, which does not depend on the number of recipients."""

from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Connection, Select, text

from forumsvc.models import TopicFollow
from forumsvc.queries import replies, topics
from tests.cases import each
from tests.functional.forum import Forum, Person, add_followers
from tests.functional.rows import insert_rows
from tests.functional.statements import Statements, of_request

pytestmark = pytest.mark.both_databases


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
    scope = "read write admin"
    chief, node = forum.person("chief", role="admin", scope=scope), forum.node()
    topic = forum.topic(alice, node)
    reply = forum.reply(alice, topic)
    return Scene(forum, alice, bob, chief, node, forum.node("Other"), topic, reply)


NEW = "title=New&node_id={s.node}&body"
TOPIC, REPLY = "/topics/{s.topic}", "/replies/{s.reply}"
LIKE = "/likes?obj_type=topic&obj_id={s.topic}"
WRITES: dict[str, tuple[str, str, int, int]] = {
    "open a topic": ("bob", f"POST /topics?{NEW}=B", 10, 10),
    "open a topic with a mention": ("bob", f"POST /topics?{NEW}=@alice", 11, 11),
    "edit a topic": ("alice", f"PUT {TOPIC}?{NEW}=B", 9, 9),
    "edit a topic's title": ("alice", f"PATCH {TOPIC}?title=New", 9, 9),
    "edit a topic, adding a mention": ("alice", f"PUT {TOPIC}?{NEW}=@bob", 13, 14),
    "move a topic": ("chief", f"PUT {TOPIC}?title=New&node_id={{s.other}}&body=B", 19, 20),
    "delete a topic": ("alice", f"DELETE {TOPIC}", 12, 13),
    "ban a topic": ("chief", f"POST {TOPIC}/action?type=ban", 13, 14),
    "close a topic": ("alice", f"POST {TOPIC}/action?type=close", 7, 7),
    "reply": ("bob", f"POST {TOPIC}/replies?body=B", 11, 11),
    "reply with a mention": ("bob", f"POST {TOPIC}/replies?body=@alice", 12, 12),
    "edit a reply": ("alice", f"POST {REPLY}?body=N", 9, 9),
    "delete a reply": ("alice", f"DELETE {REPLY}", 13, 14),
    "delete a reply before others": ("alice", f"DELETE {REPLY}", 15, 16),
    "like a topic": ("bob", f"POST {LIKE}", 6, 6),
    "like a reply": ("bob", "POST /likes?obj_type=reply&obj_id={s.reply}", 6, 6),
    "take back a like that is not there": ("bob", f"DELETE {LIKE}", 4, 4),
    "follow a topic": ("bob", f"POST {TOPIC}/follow", 5, 5),
    "favor a topic": ("bob", f"POST {TOPIC}/favorite", 5, 5),
    "follow a user": ("bob", "POST /users/alice/follow", 8, 10),
    "block a user": ("bob", "POST /users/alice/block", 3, 3),
    "register a device": ("bob", "POST /devices?platform=ios&token=abc", 3, 3),
    "unregister a device": ("bob", "DELETE /devices?platform=ios&token=abc", 2, 2),
    "save a draft": ("bob", "PUT /drafts/a?body=B", 7, 8),
    "send a draft": ("bob", f"POST {TOPIC}/replies?body=B&draft=a", 12, 12),
    "mute a node": ("bob", "POST /nodes/{s.node}/mute", 4, 4),
    "unmute a node": ("bob", "POST /nodes/{s.node}/unmute", 3, 3),
    "mark notifications read": ("bob", "POST /notifications/read?ids=", 1, 1),
    "mark all notifications read": ("bob", "POST /notifications/read_all", 2, 3),
    "mark a topic read": ("bob", f"POST {TOPIC}/read", 6, 7),
    "mark all topics read": ("bob", "POST /topics/read_all", 5, 6),
    "add a node": ("chief", "POST /nodes?name=New", 7, 8),
    "change a node": ("chief", "PUT /nodes/{s.other}?name=New", 9, 10),
    "delete a node": ("chief", "DELETE /nodes/{s.other}", 11, 11),
    "set a role": ("chief", "PUT /users/bob/role?role=vip", 15, 16),
    "delete all notifications": ("alice", "DELETE /notifications/all", 3, 4),
}
"""User, request, and the statements on SQLite and on PostgreSQL, including the token's."""


def statements_of(scene: Scene, name: str) -> Statements:
    """Send one of the requests, and return its statements."""
    who, request, *_ = WRITES[name]
    if name == "delete a reply before others":
        scene.forum.reply(scene.bob, scene.topic)
    method, path = request.format(s=scene).split(" ")
    return of_request(scene.forum, getattr(scene, who), method, path)


@pytest.mark.parametrize("name", WRITES)
def test_a_write_costs_as_many_statements_as_stated(scene, name):
    *_, on_sqlite, on_postgresql = WRITES[name]
    seen = statements_of(scene, name)
    stated = on_sqlite if scene.forum.database.is_sqlite else on_postgresql
    assert len(seen) == stated, "\n".join(seen.texts)


@each("name", ["reply", "edit a reply", "edit a topic"])
def test_what_a_request_has_locked_or_made_it_does_not_lock_again(scene, name):
    seen = statements_of(scene, name)
    locks = [each for each in seen.texts if "FOR NO KEY UPDATE OF topics" in each]
    assert len(locks) == (0 if scene.forum.database.is_sqlite else 1), "\n".join(seen.texts)


@pytest.mark.parametrize(
    "name",
    ["open a topic", "reply", "delete a topic", "ban a topic", "delete a reply before others"],
)
def test_a_write_costs_the_same_however_many_are_notified(scene, name):
    people = add_followers(scene.forum.database, scene.bob, 30)
    with scene.forum.database.session.begin() as db:
        rows = [{"user_id": person, "topic_id": scene.topic} for person in people]
        insert_rows(db, TopicFollow, rows)
    test_a_write_costs_as_many_statements_as_stated(scene, name)


@each("table", ["replies", "topics"])
def test_what_was_just_written_is_found_by_its_key(forum, table):
    statement = {"replies": replies._CREATED, "topics": topics._CREATED}[table]
    with forum.database.writes.connect() as db:
        if forum.database.is_sqlite:
            plan = explained(db, f"EXPLAIN QUERY PLAN {rendered(statement, db)}")
            assert f"SEARCH {table} USING INTEGER PRIMARY KEY" in plan
        else:
            # Which of these reads a small table depends on its statistics.
            db.execute(text("SET LOCAL enable_seqscan = off"))
            db.execute(text("SET LOCAL enable_bitmapscan = off"))
            plan = explained(db, f"EXPLAIN {rendered(statement, db)}")
            assert f"Index Scan using pk_{table} on {table}" in plan


def rendered(statement: Select[Any], db: Connection) -> str:
    """Return the SQL of a statement with its values, for this database."""
    return str(statement.compile(db, compile_kwargs={"literal_binds": True}))


def explained(db: Connection, statement: str) -> str:
    """Return the output of an EXPLAIN."""
    return "\n".join(map(str, db.exec_driver_sql(statement)))
