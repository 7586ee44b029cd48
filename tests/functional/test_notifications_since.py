"""GET /notifications?since=: notifications newer than the given one."""

import threading
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Connection, event, func, insert, select, text

from forumsvc.models import Notification, User
from tests.databases import on_postgresql
from tests.functional.forum import Forum, Person
from tests.functional.rows import complete
from tests.functional.statements import of_request
from tests.functional.threads import alone
from tests.system.process import wait_until

TOKEN, LIST = 1, 1


@dataclass
class Scene:
    """Alice has been notified of three replies by bob; `ids` are those of the notifications."""

    alice: Person
    bob: Person
    topic: int
    ids: list[int]

    def newer(self, since: int, **more: int) -> list[int]:
        answer = self.alice.get("/notifications", since=since, **more)
        assert answer.status_int == 200, answer.text
        return [one["id"] for one in answer.json]


@pytest.fixture
def scene(forum: Forum) -> Scene:
    alice, bob = forum.person("alice"), forum.person("bob")
    topic = forum.topic(alice, forum.node())
    for _ in range(3):
        forum.reply(bob, topic)
    ids = [one["id"] for one in alice.get("/notifications").json]
    return Scene(alice, bob, topic, ids[::-1])


def test_a_poll_that_finds_nothing_costs_one_statement_beside_the_token(forum, scene):
    path = f"/notifications?since={scene.ids[-1]}"
    assert len(of_request(forum, scene.alice, "GET", path)) == TOKEN + LIST


def test_polls_that_find_nothing_are_byte_for_byte_the_same(forum, scene):
    # So the hash of the body is what tells a poller that it has missed nothing, whatever else
    # happens: marking as read, deleting, another's new name.
    newest = scene.ids[-1]
    before = scene.alice.get("/notifications", since=newest).body
    scene.alice.post("/notifications/read", ids=scene.ids[0])
    scene.alice.delete(f"/notifications/{scene.ids[1]}")
    forum.change(scene.bob.id, name="Bobby")
    assert scene.alice.get("/notifications", since=newest).body == before == b"[]"


POSTS: dict[str, tuple[str, dict[str, Any]]] = {
    "topic": ("/topics", {"title": "T", "body": "B"}),
    "reply": ("/topics/{alices}/replies", {"body": "B"}),
    "mention": ("/topics/{bobs}/replies", {"body": "For @alice"}),
    "edit": ("/topics/{bobs}", {"title": "T", "body": "For @alice"}),
    "follow": ("/users/alice/follow", {}),
}


@on_postgresql
@pytest.mark.parametrize("what", POSTS)
def test_nothing_new_gets_an_id_below_one_that_was_seen_before_it(forum, what):
    alice, bob, node = forum.person("alice"), forum.person("bob"), forum.node()
    names = {"alices": forum.topic(alice, node), "bobs": forum.topic(bob, node)}
    assert alice.post("/users/bob/follow").status_int == 200
    path, sent = POSTS[what]
    comes = threading.Event()

    def watch(statement: str, values: Any = None) -> None:
        if "FROM users" in statement and "FOR NO KEY UPDATE" in statement:
            comes.set()

    def watch_engine(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        watch(statement)

    def post() -> None:
        answers.append(alone(forum, bob).call("POST", path.format(**names), {**sent, **at}))

    answers: list[Any] = []
    at = {"node_id": node} if "title" in sent else {}
    database = forum.registry.database
    row = complete(Notification, {"user_id": alice.id, "actor_id": bob.id, "type": "Follow"})
    event.listen(database.writes, "before_cursor_execute", watch_engine)
    database.executor.query_listeners.append(watch)
    try:
        with forum.database.writes.connect() as other:
            other.execute(
                select(User.id).where(User.id == alice.id).with_for_update(key_share=True)
            )
            thread = threading.Thread(target=post)
            thread.start()
            assert comes.wait(30)
            # Meanwhile another is written, which the client sees first.
            statement = insert(Notification).values(row).returning(Notification.id)
            seen = other.execute(statement).scalar_one()
            other.commit()
        thread.join()
    finally:
        database.executor.query_listeners.remove(watch)
        event.remove(database.writes, "before_cursor_execute", watch_engine)
    assert [answer.status_int for answer in answers] in ([200], [201])
    assert len(alice.get("/notifications", since=seen).json) == 1


FOLLOWED_MEANWHILE = {
    "the author of a new topic": ("/users/bob/follow", "/topics"),
    "a topic with a new reply": ("/topics/{topic}/follow", "/topics/{topic}/replies"),
}


@on_postgresql
@pytest.mark.parametrize("what", FOLLOWED_MEANWHILE)
def test_who_begins_to_follow_while_others_are_notified_is_not_notified_about_it_too_late(
    forum, what
):
    carol, alice, bob = (forum.person(login) for login in ("carol", "alice", "bob"))
    node = forum.node()
    topic = forum.topic(bob, node)
    follow, post = (path.format(topic=topic) for path in FOLLOWED_MEANWHILE[what])
    assert carol.post(follow).status_int == 200
    sent = {"title": "T", "node_id": node, "body": "B"}
    writing = threading.Thread(target=lambda: alone(forum, bob).call("POST", post, sent))
    following = threading.Thread(target=lambda: alone(forum, alice).post(follow))
    engine = forum.database.writes
    with engine.connect() as carols, engine.connect() as alices, engine.connect() as watch:
        holder = lock(carols, carol)
        writing.start()
        wait_until(lambda: blocked(watch, holder), "bob's post waits for carol, to tell her")
        [writer] = blocked(watch, holder)
        following.start()
        wait_until(lambda: not following.is_alive() or blocked(watch, writer), "alice follows")
        holder = lock(alices, alice)
        carols.commit()
        wait_until(lambda: not writing.is_alive() or blocked(watch, holder), "bob's post goes on")
        # Meanwhile alice is notified about something else, which she sees first.
        row = complete(Notification, {"user_id": alice.id, "actor_id": carol.id, "type": "Follow"})
        other = insert(Notification).values(row).returning(Notification.id)
        seen = alices.execute(other).scalar_one()
        alices.commit()
        writing.join()
        following.join()
    ids = [one["id"] for one in alice.get("/notifications").json]
    newer = [one["id"] for one in alice.get("/notifications", since=seen).json]
    assert sorted(ids) == [seen, *sorted(newer)]
    # The one who followed before was notified.
    assert len(carol.get("/notifications").json) == 1


def lock(connection: Connection, person: Person) -> int:
    """Lock a user as inserting notifications does; return the PostgreSQL process with the lock."""
    connection.execute(select(User.id).where(User.id == person.id).with_for_update(key_share=True))
    return int(connection.scalar(select(func.pg_backend_pid())) or 0)


def blocked(connection: Connection, holder: int) -> list[int]:
    """Return the processes that wait for a lock which this one holds."""
    query = "SELECT pid FROM pg_stat_activity WHERE :holder = ANY (pg_blocking_pids(pid))"
    connection.rollback()
    return list(connection.scalars(text(query), {"holder": holder}))
