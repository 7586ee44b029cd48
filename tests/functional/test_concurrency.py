"""Concurrent requests: duplicates count once, no request fails, and the counters are right."""

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import delete, select, text, update

from forumsvc.cache.database import open_database
from forumsvc.db.engine import Database
from forumsvc.models import (
    Favorite,
    Node,
    Notification,
    ReadCutoff,
    ReplyLike,
    Topic,
    TopicFollow,
    TopicLike,
    User,
    UserFollow,
)
from tests.databases import on_postgresql
from tests.functional.forum import Caller, Forum, Person
from tests.functional.recounting import drift
from tests.functional.threads import alone, flat, statuses, together
from tests.system.process import wait_until

pytestmark = pytest.mark.both_databases


@pytest.fixture
def another_process(database_url: str) -> Iterator[Database]:
    """The database as another process has it, whose transactions leave the forum's waits alone."""
    database = open_database(database_url)
    yield database
    database.dispose()


def at_once(forum: Forum, person: Person, method: str, path: str, **params: Any) -> list[Any]:
    """Send the same request 64 times concurrently; return the responses, all 200."""
    callers = [alone(forum, person) for _ in range(64)]
    answers = together([partial(caller.call, method, path, params) for caller in callers])
    assert statuses(answers) == {200: 64}
    return answers


@pytest.mark.parametrize(
    ("path", "sent", "model", "answer"),
    [
        ("/likes", {"obj_type": "topic", "obj_id": "{topic}"}, TopicLike, {"count": 1}),
        ("/likes", {"obj_type": "reply", "obj_id": "{reply}"}, ReplyLike, {"count": 1}),
        ("/topics/{topic}/favorite", {}, Favorite, {"ok": 1}),
        ("/topics/{topic}/follow", {}, TopicFollow, {"ok": 1}),
        ("/users/alice/follow", {}, UserFollow, {"ok": 1}),
    ],
)
def test_64_identical_requests_make_one_row_and_one_notification_at_most(
    forum, alice, bob, topic, path, sent, model, answer
):
    ids = {"topic": topic, "reply": forum.reply(alice, topic)}
    params = {name: value.format(**ids) for name, value in sent.items()}
    answers = at_once(forum, bob, "POST", path.format(**ids), **params)
    assert [one.json for one in answers] == [answer] * 64
    assert forum.count(model) == 1
    assert forum.count(Notification) == (model is UserFollow)
    assert drift(forum.database) == []


def test_64_identical_unlikes_take_one_back(forum, alice, bob, topic):
    for person in (alice, bob):
        person.post("/likes", obj_type="topic", obj_id=topic)
    answers = at_once(forum, bob, "DELETE", "/likes", obj_type="topic", obj_id=topic)
    assert [answer.json for answer in answers] == [{"count": 1}] * 64
    assert drift(forum.database) == []


def test_64_likes_of_different_users_all_count(forum, topic):
    people = [alone(forum, forum.person(f"user{number:02}")) for number in range(64)]
    answers = together(
        [partial(person.post, "/likes", obj_type="topic", obj_id=topic) for person in people]
    )
    assert sorted(answer.json["count"] for answer in answers) == list(range(1, 65))


@pytest.mark.parametrize("path", ["/topics/{topic}", "/users/me"])
def test_of_two_edits_of_the_same_version_one_succeeds(forum, alice, node, topic, path):
    where = path.format(topic=topic)
    for number in range(5):
        known = {"If-Match": alice.get(where).headers["ETag"]}
        forms = [
            {"title": "T", "node_id": node, "body": text, "bio": text}
            for text in (f"{number}", f"{number} too")
        ]
        answers = together(
            [partial(alone(forum, alice).call, "PUT", where, form, headers=known) for form in forms]
        )
        assert statuses(answers) == {200: 1, 412: 1}


def test_readers_and_writers_do_not_fail_each_other(forum, alice, bob, topic):
    def write(person: Caller) -> list[Any]:
        return [person.post(f"/topics/{topic}/replies", body=f"R{n} @bob") for n in range(10)]

    def read(person: Caller) -> list[Any]:
        paths = (f"/topics/{topic}", "/topics", f"/topics/{topic}/replies", "/notifications")
        return [person.get(path) for _ in range(5) for path in paths]

    writers = [partial(write, alone(forum, alice)) for _ in range(8)]
    readers = [partial(read, alone(forum, bob)) for _ in range(8)]
    answers = together(writers + readers)
    assert statuses(flat(answers[:8])) == {201: 80}
    assert statuses(flat(answers[8:])) == {200: 160}
    assert alice.get(f"/topics/{topic}").json["replies_count"] == 80
    assert drift(forum.database) == []


def test_two_users_who_toggle_following_each_other_never_fail(forum, alice, bob):
    def toggle(person: Caller, other: str) -> list[Any]:
        return [
            person.post(f"/users/{other}/{what}")
            for _ in range(15)
            for what in ("follow", "unfollow")
        ]

    pairs = [(alice, "bob"), (bob, "alice")] * 2
    answers = together([partial(toggle, alone(forum, one), other) for one, other in pairs])
    assert statuses(flat(answers)) == {200: 120}
    assert drift(forum.database) == []


def test_users_who_mention_each_other_at_once_are_all_notified(forum):
    people = [forum.person(f"user{number}") for number in range(6)]
    node = forum.node()
    topics = [forum.topic(person, node) for person in people]
    everybody = " ".join(f"@{person.login}" for person in people)

    def mention(person: Caller, topic: int) -> list[Any]:
        return [person.post(f"/topics/{topic}/replies", body=everybody) for _ in range(5)]

    pairs = zip(people, topics, strict=True)
    answers = together([partial(mention, alone(forum, person), topic) for person, topic in pairs])
    assert statuses(flat(answers)) == {201: 30}
    for person in people:
        assert person.get("/notifications/unread_count").json == {"count": 25}
    assert drift(forum.database) == []


@on_postgresql
def test_a_request_that_loses_a_deadlock_is_made_again(forum, alice, bob, topic, another_process):
    wants_users = threading.Event()

    def watch(statement: str, values: Any) -> None:
        if "FOR NO KEY UPDATE OF users" in statement:
            wants_users.set()

    query_listeners = forum.registry.database.executor.query_listeners
    query_listeners.append(watch)
    caller = alone(forum, bob)

    def cross() -> None:
        with another_process.writes.connect() as other:
            # The one that waits for longer does not look for deadlocks, and so wins.
            other.execute(text("SET LOCAL deadlock_timeout = '1min'"))
            other.execute(
                select(User.id).where(User.id == alice.id).with_for_update(key_share=True)
            )
            holds_user.set()
            assert wants_users.wait(30)
            other.execute(select(Topic.id).where(Topic.id == topic).with_for_update())
            other.rollback()

    def reply() -> Any:
        assert holds_user.wait(30)
        return caller.post(f"/topics/{topic}/replies", body="B")

    holds_user = threading.Event()
    deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    try:
        _, made = together([cross, reply])
    finally:
        query_listeners.remove(watch)
    with forum.database.reads.connect() as connection:
        assert connection.scalar(text(deadlocks)) >= 1
    assert made.status_int == 201
    assert alice.get(f"/topics/{topic}").json["replies_count"] == 1
    assert drift(forum.database) == []


@on_postgresql
def test_who_replies_to_a_hot_topic_waits_for_its_row_and_holds_up_nobody_else(
    forum, alice, bob, topic
):
    elsewhere = forum.topic(alice, forum.node("Elsewhere"))
    people = [forum.person(f"user{number}") for number in range(12)]
    waiting = text(
        "SELECT query FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    # Also who is notified: what waits must not have locked them yet.
    caller = alone(forum, people[0])

    def hold() -> Any:
        with forum.database.writes.connect() as other, forum.database.reads.connect() as looking:
            other.execute(select(Topic.id).where(Topic.id == topic).with_for_update())
            held.set()
            wait_until(lambda: len(looking.scalars(waiting).all()) == 12, "all wait")
            queries = looking.scalars(waiting).all()
            # In another thread: what locks in this one must not render.
            post = partial(caller.post, f"/topics/{elsewhere}/replies", body="@bob @user1")
            [made] = together([post])
            other.rollback()
        return queries, made

    def reply(who: Caller) -> Any:
        assert held.wait(30)
        return who.post(f"/topics/{topic}/replies", body="@bob")

    held = threading.Event()
    (queries, made), *replies = together(
        [hold, *(partial(reply, alone(forum, person)) for person in people)]
    )
    assert {query.split()[1] for query in queries} == {"topics.id,"}
    assert made.status_int == 201
    assert statuses(replies) == {201: 12}
    assert drift(forum.database) == []


@on_postgresql
def test_a_topic_that_is_moved_just_now_is_there_for_who_waits(forum, alice, bob, topic):
    other, caller = forum.node("Other"), alone(forum, bob)
    moved = threading.Event()
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"

    def move() -> None:
        with forum.database.writes.begin() as connection:
            connection.execute(update(Topic).where(Topic.id == topic).values(node_id=other))
            moved.set()
            with forum.database.reads.connect() as watch:
                wait_until(lambda: watch.scalar(text(waiting)), "the reply waits for the topic")

    def reply() -> Any:
        assert moved.wait(30)
        return caller.post(f"/topics/{topic}/replies", body="B")

    _, made = together([move, reply])
    assert made.status_int == 201


def admins(forum: Forum, number: int) -> list[Caller]:
    """Return admins, each of whom calls in a thread of their own."""
    scope = "read write admin"
    people = [forum.person(f"root{place}", role="admin", scope=scope) for place in range(number)]
    return [alone(forum, person) for person in people]


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("kind", ["nodes", "sections"])
def test_of_equal_names_one_is_taken_and_the_others_are_refused(forum, kind, method):
    callers = admins(forum, 6)
    made = [callers[0].post(f"/{kind}", name=f"Name {place}").json["id"] for place in range(6)]
    paths = [f"/{kind}" if method == "POST" else f"/{kind}/{one}" for one in made]
    pairs = zip(callers, paths, strict=True)
    tasks = [partial(caller.call, method, path, {"name": "Same"}) for caller, path in pairs]
    answers = together(tasks)
    assert statuses(answers) == {201 if method == "POST" else 200: 1, 400: 5}
    refused = {one.json["error"] for one in answers if one.status_int == 400}
    assert refused == {"name: is taken: there is one named 'Same' already"}


def test_admins_who_remove_each_other_at_once_leave_one(forum):
    callers = admins(forum, 4)
    tasks = [
        partial(caller.call, "PUT", f"/users/root{place - 1 if place else 3}/role", {"role": "vip"})
        for place, caller in enumerate(callers)
    ]
    answers = together(tasks)
    assert {one.status_int for one in answers} <= {200, 400, 403}
    with forum.database.reads.connect() as db:
        left = db.scalars(select(User.login).where(User.role == "admin")).all()
    assert left


def test_a_section_is_deleted_or_gets_the_node(forum):
    one, other = admins(forum, 2)
    for _ in range(5):
        section = one.post("/sections", name="S").json["id"]
        delete = partial(one.call, "DELETE", f"/sections/{section}")
        add = partial(other.call, "POST", "/nodes", {"name": "N", "section_id": section})
        deleted, added = together([delete, add])
        assert (deleted.status_int, added.status_int) in ((200, 400), (400, 201))
        if added.status_int == 201:
            one.delete(f"/nodes/{added.json['id']}")
            one.delete(f"/sections/{section}")


WAITING = text(
    "SELECT pid FROM pg_stat_activity"
    " WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


@on_postgresql
@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("/nodes/{node}/mute", {}, 404),
        ("/topics/read_all", {"node_id": "{node}"}, 400),
        ("/topics/{hidden}", {"node_id": "{node}"}, 400),
    ],
)
def test_who_meets_a_node_that_is_deleted_just_now_is_told_so(forum, alice, path, sent, status):
    root, node = admins(forum, 1)[0], forum.node("Gone")
    ids = {"node": node, "hidden": forum.topic(alice, forum.node("Home"))}
    root.post(f"/topics/{ids['hidden']}/action", type="ban")
    deleting = threading.Event()

    def delete_node() -> None:
        with forum.database.writes.begin() as connection:
            connection.execute(delete(Node).where(Node.id == node))
            deleting.set()
            with forum.database.reads.connect() as watch:
                wait_until(lambda: watch.scalar(WAITING), "the request waits for the node")

    def ask() -> Any:
        assert deleting.wait(30)
        values = {name: value.format(**ids) for name, value in sent.items()}
        return root.call("PATCH" if "hidden" in path else "POST", path.format(**ids), values)

    _, answer = together([delete_node, ask])
    assert answer.status_int == status, answer.text


@on_postgresql
def test_a_node_is_deleted_while_its_topics_are_marked_as_read(forum, alice):
    """Both want the row of the node, and the reader's earlier mark."""
    root, node = admins(forum, 1)[0], forum.node("Gone")
    alice.post("/topics/read_all", node_id=node)
    locked = threading.Event()

    def hold_mark() -> None:
        with forum.database.writes.begin() as connection:
            connection.execute(select(ReadCutoff.id).with_for_update())
            locked.set()
            with forum.database.reads.connect() as watch:
                wait_until(lambda: len(watch.scalars(WAITING).all()) == 2, "both wait")

    def ask(caller: Caller, method: str, path: str, **sent: Any) -> Any:
        assert locked.wait(30)
        if method == "DELETE":
            with forum.database.reads.connect() as watch:
                wait_until(lambda: watch.scalar(WAITING), "the request that marks waits")
        return caller.call(method, path, sent)

    deadlocks = text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    with forum.database.reads.connect() as connection:
        before = connection.scalar(deadlocks)
    mark = partial(ask, alone(forum, alice), "POST", "/topics/read_all", node_id=node)
    remove = partial(ask, root, "DELETE", f"/nodes/{node}")
    _, marked, removed = together([hold_mark, mark, remove])
    assert (marked.status_int, removed.status_int) == (200, 200)
    assert forum.count(ReadCutoff) == 0
    with forum.database.reads.connect() as connection:
        assert connection.scalar(deadlocks) == before
