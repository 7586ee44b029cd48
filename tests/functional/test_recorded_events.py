"""What each endpoint records as events: once, only if something changed, and in its transaction."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.db.expired_rows import delete_batch
from forumsvc.models import Event, HoldReason, Reply, Role, User
from forumsvc.models.states import ACTION_TYPES
from forumsvc.presenters import events as event_presenter
from forumsvc.presenters.site import site_of
from forumsvc.queries import event_objects
from forumsvc.queries import events as queries
from forumsvc.queries import topics as topic_queries
from forumsvc.services import events
from forumsvc.services.accounts import accounts, email_confirmation
from forumsvc.services.moderation import held_posts
from forumsvc.services.posts import topics
from tests.functional.conftest import MakeForum
from tests.functional.forum import Caller, Forum, Person, content
from tests.functional.rows import insert_rows
from tests.functional.statements import of_request
from tests.functional.test_photos import send
from tests.openapi import answers
from tests.openapi.operations import operations


@dataclass
class Scene:
    """Alice has a topic and a reply in it; bob is another member, chief an admin."""

    forum: Forum
    alice: Person
    bob: Person
    chief: Person
    node: int
    other: int
    topic: int
    reply: int
    notification: int = 0
    review: int = 0
    held: int = 0
    section: int = 0

    def recorded(self) -> list[Any]:
        with self.forum.database.reads.connect() as db:
            return list(db.execute(select(Event.__table__).order_by(Event.id)))

    def messages(self) -> list[dict[str, Any]]:
        """Return what a webhook would be told of each event."""
        executor = self.forum.database.executor
        rows = list(queries.by_ids(executor, [event.id for event in self.recorded()]).values())
        objects = event_objects.load(executor, rows)
        site = site_of(self.forum.registry.forum_settings, "https://f.example", clock.now())
        return [event_presenter.event(site, row, objects) for row in rows]

    def types_of(self, act: Callable[[], Any]) -> list[str]:
        before = len(self.recorded())
        act()
        return [event.type for event in self.recorded()[before:]]


@pytest.fixture
def scene(make_forum: MakeForum) -> Scene:
    forum = make_forum(accounts__registration="open")
    alice, bob = forum.person("alice"), forum.person("bob")
    chief = forum.person("chief", role="admin", scope="read write moderate admin")
    node = forum.node()
    topic = forum.topic(alice, node)
    reply = forum.reply(alice, topic)
    for kind, liked in (("topic", topic), ("reply", reply)):
        chief.post("/likes", obj_type=kind, obj_id=liked)
    for path in (f"/topics/{topic}", f"/replies/{reply}"):
        assert alice.call("PATCH", path, {"body": "Edited"}).json["edited_at"]
    forum.reply(chief, topic)
    bob.put("/drafts/begun", body="B")
    bob.post("/reports", obj_type="user", obj_id=alice.id, category="spam")
    with forum.database.session.begin() as db:
        held = held_posts.hold(
            *(db, alice.id, clock.now(), HoldReason.WORD),
            body="Held",
            topic_id=topic,
        )
    return Scene(
        *(forum, alice, bob, chief, node, forum.node("Other"), topic, reply),
        notification=content(alice.get("/notifications"))[0]["id"],
        review=chief.get("/reviews").json[0]["id"],
        held=held,
        section=chief.post("/sections", name="S").json["id"],
    )


def photo_of(person: Person) -> int:
    send(person)
    return int(content(person.get("/photos"))[0]["id"])


def fill(value: Any, scene: Scene) -> Any:
    """Return a value with the ids of the scene in place of `{s.topic}` and the like."""
    if isinstance(value, dict):
        return {name: fill(one, scene) for name, one in value.items()}
    return value.format(s=scene) if isinstance(value, str) else value


REQUESTS = yaml.safe_load(Path(__file__).with_name("recorded_events.yaml").read_text("utf-8"))


def test_each_operation_that_changes_something_is_in_the_table():
    described = {
        str(operation).replace(" /api/v3", " ")
        for operation in operations()
        if operation.method != "get"
        # Webhooks are told of events, and are none: test_webhooks_api.py.
        and not operation.path.startswith("/api/v3/webhooks")
        # They are for admins alone: test_access_blocks_api.py.
        and not operation.path.startswith("/api/v3/access_blocks")
    }
    assert {operation for operation, *_ in REQUESTS} == described


@pytest.mark.parametrize(
    ("operation", "who", "query", "body", "expected"),
    [pytest.param(*one, id=f"{one[0]}{one[2]} {'-'.join(one[4])}") for one in REQUESTS],
)
def test_an_operation_records_what_it_changed_and_nothing_when_repeated(
    scene, operation, who, query, body, expected
):
    method, template = operation.split(" ")
    caller: Caller = scene.forum.nobody if who == "nobody" else getattr(scene, who)
    path = template.format(
        topic_id=scene.topic,
        reply_id=scene.reply,
        user_id=scene.alice.id,
        photo_id=photo_of(scene.alice) if "photo_id" in template else None,
        notification_id=scene.notification,
        review_id=scene.review,
        held_id=scene.held,
        node_id=scene.other,
        section_id=scene.section,
        key="begun",
        number=1,
    )

    def call() -> None:
        if operation == "POST /photos":
            assert send(caller).status_int == 201
        else:
            caller.call(method, path + query, fill(body, scene))

    assert scene.types_of(call) == expected
    deviations = [answers.find_deviations_of_message(one) for one in scene.messages()]
    assert deviations == [[]] * len(deviations)
    creates = {"topic.created", "reply.created", "user.warned"}
    assert scene.types_of(call) == (expected if creates & {*expected} else [])


def test_a_deleted_and_restored_topic_tells_of_its_replies_that_were_not_deleted(scene):
    scene.chief.delete(f"/replies/{scene.reply}")
    [_, left] = scene.chief.get(f"/topics/{scene.topic}/replies").json
    before = len(scene.recorded())
    scene.chief.delete(f"/topics/{scene.topic}")
    with scene.forum.database.session.begin() as db:
        row = topic_queries.state(db, scene.topic, lock=True)
        assert row is not None
        assert topics.restore(db, None, clock.now(), row)
    told = scene.recorded()[before:]
    assert [(one.type, one.reply_id) for one in told] == [
        ("reply.deleted", left["id"]),
        ("topic.deleted", None),
        ("topic.restored", None),
        ("reply.restored", left["id"]),
    ]
    assert {(one.topic_id, one.node_id) for one in told} == {(scene.topic, scene.node)}
    reasons = [one["data"].get("reason") for one in scene.messages()]
    assert (reasons.count("topic"), reasons.count(None)) == (2, len(reasons) - 2)
    deviations = [answers.find_deviations_of_message(one) for one in scene.messages()]
    assert deviations == [[]] * len(deviations)


@pytest.mark.both_databases
def test_a_topic_of_many_replies_is_deleted_by_as_many_statements_as_one_of_few(forum):
    author, chief, node = forum.person("author"), forum.person("chief", role="admin"), forum.node()
    costs = []
    for count in (2, 2000):
        topic = forum.topic(author, node)
        with forum.database.session.begin() as db:
            insert_rows(
                db, Reply, ({"topic_id": topic, "user_id": author.id} for _ in range(count))
            )
        costs.append(len(of_request(forum, chief, "DELETE", f"/topics/{topic}")))
    assert costs[0] == costs[1]
    with forum.database.reads.connect() as db:
        told = db.scalars(select(Event.reply_id).where(Event.type == "reply.deleted")).all()
    assert len(told) == 2002
    assert told == sorted(told)


def test_actions_that_undo_others_record_their_own_types(scene):
    def act(type_: str) -> list[str]:
        path = f"/topics/{scene.topic}/action?type={type_}"
        return scene.types_of(lambda: scene.chief.post(path))

    changes = [change for change in ACTION_TYPES.values() if not change.former_word]
    assert [act(change.word) for change in changes] == [[str(change.event)] for change in changes]


def test_an_event_names_the_actor_and_what_it_is_about(scene):
    scene.bob.post("/likes", obj_type="reply", obj_id=scene.reply)
    scene.chief.put(f"/topics/{scene.topic}", title="T", node_id=scene.other, body="B")
    like, _, moved = scene.recorded()[-3:]
    assert (like.actor_id, like.reply_id, json.loads(like.data)) == (
        *(scene.bob.id, scene.reply, {"obj_type": "reply"}),
    )
    assert (moved.actor_id, moved.topic_id, moved.node_id, json.loads(moved.data)) == (
        *(scene.chief.id, scene.topic, scene.other, {"from_node_id": scene.node}),
    )


def test_a_request_that_fails_records_nothing(scene):
    def act() -> None:
        assert scene.bob.post("/topics", title="T", node_id=10**9, body="B").status_int == 400
        assert scene.bob.delete(f"/topics/{scene.topic}").status_int == 403

    assert scene.types_of(act) == []


def test_an_administrator_at_the_command_line_is_no_actor(scene):
    def act() -> None:
        with scene.forum.database.session.begin() as db:
            accounts.create(db, "carol", "tangled-wire-77")
            accounts.set_role(db, None, clock.now(), "carol", Role.VIP)
            accounts.set_role(db, None, clock.now(), "carol", Role.VIP)
            accounts.delete(db, "carol")
            accounts.delete(db, "carol")

    assert scene.types_of(act) == ["user.created", "user.role_changed", "user.deleted"]
    assert {event.actor_id for event in scene.recorded()[-3:]} == {None}


def test_a_session_that_records_nothing_records_nothing(scene):
    def act() -> None:
        with scene.forum.database.session.begin() as db:
            events.record_nothing(db)
            accounts.create(db, "carol", "tangled-wire-77")

    assert scene.types_of(act) == []


def test_expired_events_are_deleted_and_the_newest_stays(scene):
    expired = events.expired(timedelta(days=14))
    deleted = [
        delete_batch(scene.forum.database, expired, clock.now() + timedelta(days=days))
        for days in (13, 15)
    ]
    assert deleted[0] == 0
    assert deleted[1] > 1
    assert len(scene.recorded()) == 1


def test_what_becomes_of_a_held_post_is_recorded_without_its_text(scene):
    chief = scene.chief
    [review] = [one for one in content(chief.get("/reviews")) if one["kind"] == "held"]
    path = f"/reviews/{review['id']}/resolve"
    assert [one.type for one in scene.recorded()].count("post.held") == 1
    types = scene.types_of(lambda: chief.post(path, decision="approve"))
    assert types == ["reply.created", "post.released", "review.resolved"]
    with scene.forum.database.session.begin() as db:
        held_posts.hold(
            *(db, scene.bob.id, clock.now(), HoldReason.WORD),
            body="A secret text",
            title="A secret title",
            node_id=scene.node,
        )
    [review] = content(chief.get("/reviews", kind="held"))
    path = f"/reviews/{review['id']}/resolve"
    assert scene.types_of(lambda: chief.post(path, decision="delete"))[0] == "post.refused"
    told = [one for one in scene.recorded() if one.type.startswith("post.")]
    assert [one.actor_id for one in told] == [scene.alice.id, chief.id, scene.bob.id, chief.id]
    assert [json.loads(one.data)["kind"] for one in told] == ["reply", "reply", "topic", "topic"]
    assert told[1].reply_id is not None
    assert "secret" not in str(told)


def test_a_confirmed_address_is_recorded_without_the_address(scene):
    forum = scene.forum
    with forum.database.session.begin() as db:
        address = {"email": "bob@example.com", "email_key": "bob@example.com"}
        unconfirmed = {**address, "email_confirmed_at": None}
        db.execute(update(User).where(User.id == scene.bob.id).values(**unconfirmed))
        email_confirmation.confirm_as_admin(db, "bob", clock.now())
    event = scene.recorded()[-1]
    assert (event.type, event.user_id, event.data) == ("user.confirmed", scene.bob.id, None)
