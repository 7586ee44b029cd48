"""Events are sent to webhooks: signed, at least once, tried again, and switched off in the end."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session
from standardwebhooks import Webhook as Verifier

from forumsvc import clock
from forumsvc.background import webhook_sender
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.webhook_sender import WebhookSender
from forumsvc.models import ALL_EVENTS, Event, JobKind, Webhook, WebhookDelivery
from forumsvc.outgoing.connection import CheckedConnection, Outcome
from forumsvc.presenters import events as presenter
from forumsvc.queries.rows import EventRow
from forumsvc.services import event_consumers, jobs
from forumsvc.services.webhooks import (
    webhook_deliveries,
    webhook_fan_out,
    webhook_signature,
    webhooks,
)
from tests.databases import on_postgresql
from tests.functional.conftest import MakeForum
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.forum import SECRET, Forum
from tests.functional.queued_mails import queued_mails
from tests.functional.receiver import Answer, Receiver, receiving

SECONDS = 0.5
"""For an attempt, where a receiver does not answer."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


class Scene:
    """A forum with a topic and a webhook for everything; the clock stands still."""

    def __init__(self, forum: Forum, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
        self.forum = forum
        self.receiver = receiver
        self.alice = forum.person("alice")
        self.node, self.other = forum.node(), forum.node("Other")
        self.topic = forum.topic(self.alice, self.node)
        self.now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: self.now)
        monkeypatch.setattr(webhook_deliveries, "_JITTER", 0.0)
        self.id = self.add()
        self.fan_out()
        self.forget_deliveries()
        sender = WebhookSender(forum.database, forum.registry.forum_settings, seconds=SECONDS)
        self.runner = JobRunner(forum.database, [sender], 0.01)

    def add(self, url: str = "", **columns: Any) -> int:
        """Add a webhook, by default for everything, and return its id."""
        values = {"events": [ALL_EVENTS], "node_ids": None, "description": "", **columns}
        with self.forum.database.session.begin() as db:
            return webhooks.create(
                db, None, self.now, url=url or self.receiver.url, most=20, **values
            )

    def fan_out(self) -> None:
        wait_for_horizon(self.forum.database)
        with self.forum.database.session.begin() as db:
            event_consumers.consume(db, "fan-out", self._fan_out, self.now)

    def _fan_out(self, db: Session, events: Sequence[EventRow]) -> None:
        webhook_fan_out.fan_out(db, events, self.now)

    def forget_deliveries(self) -> None:
        with self.forum.database.session.begin() as db:
            db.execute(delete(WebhookDelivery))

    def send(self) -> None:
        self.runner.run_due(JobKind.DELIVER)

    def tell(self) -> None:
        self.fan_out()
        self.send()

    def deliver_replies(self, number: int = 1) -> None:
        """Let alice reply so many times, and make and send the deliveries of that."""
        for _ in range(number):
            self.forum.reply(self.alice, self.topic)
        self.tell()

    def pass_time(self, duration: timedelta) -> None:
        self.now += duration

    def deliveries(self) -> list[Any]:
        with self.forum.database.reads.connect() as db:
            return list(db.execute(select(WebhookDelivery.__table__).order_by(WebhookDelivery.id)))

    def webhook(self) -> Any:
        with self.forum.database.reads.connect() as db:
            return db.execute(select(Webhook.__table__).where(Webhook.id == self.id)).one()


@pytest.fixture
def scene(make_forum: MakeForum, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Scene:
    forum = make_forum(webhooks__allow_private="true", site__url="https://forum.example.org")
    return Scene(forum, receiver, monkeypatch)


def test_a_new_reply_is_sent_signed_as_everybody_may_see_it(scene):
    scene.forum.change(scene.alice.id, email="alice@example.org", email_key="alice@example.org")
    reply = scene.forum.reply(scene.alice, scene.topic, "**Hello**")
    scene.tell()
    [message] = scene.receiver.received
    secret = webhook_signature.derive_secret(SECRET, scene.id, 1)
    Verifier(webhook_signature.format_secret(secret)).verify(message.body, message.headers)
    assert message.headers["content-type"] == "application/json"
    assert message.headers["user-agent"].startswith("forumsvc/")
    data = message.json["data"]
    assert message.json["type"] == "reply.created"
    assert (data["id"], data["topic_id"]) == (reply, scene.topic)
    assert data["url"] == f"https://forum.example.org/replies/{reply}"
    assert data["reply"]["body_html"] == "<p><strong>Hello</strong></p>"
    assert data["actor"]["login"] == "alice"
    assert b"alice@example.org" not in message.body
    assert [one.state for one in scene.deliveries()] == ["delivered"]


def test_what_is_hidden_when_it_is_sent_is_shown_as_its_id_alone(scene):
    reply = scene.forum.reply(scene.alice, scene.topic)
    scene.forum.person("chief", role="admin").post(f"/topics/{scene.topic}/action?type=ban")
    scene.tell()
    first, last = (message.json for message in scene.receiver.received)
    assert (first["type"], first["data"]["id"], first["data"]["reply"]) == (
        *("reply.created", reply, None),
    )
    assert (last["type"], last["data"]["topic"]) == ("topic.banned", None)


def test_a_message_that_would_be_too_large_has_its_ids_alone(scene):
    scene.forum.reply(scene.alice, scene.topic, "word " * 5000)
    scene.tell()
    [message] = scene.receiver.received
    assert len(message.body) < 20_000
    assert message.json["data"]["reply"] is None


def test_a_webhook_gets_the_types_and_nodes_that_it_wants(scene):
    wishes: list[tuple[str, list[int] | None]] = [
        ("topic.created", None),
        (ALL_EVENTS, [scene.other]),
        ("reply.created", [scene.node]),
    ]
    for type_, node_ids in wishes:
        scene.add(f"{scene.receiver.url}-{type_}-{node_ids}", events=[type_], node_ids=node_ids)
    topic = scene.forum.topic(scene.alice, scene.other)
    scene.forum.reply(scene.alice, topic)
    scene.forum.reply(scene.alice, scene.topic)
    scene.alice.put("/users/me", bio="New")
    scene.tell()
    got: dict[str, list[str]] = {}
    for message in scene.receiver.received:
        got.setdefault(message.path, []).append(message.json["type"])
    assert got == {
        "/hook": ["topic.created", "reply.created", "reply.created", "user.updated"],
        "/hook-topic.created-None": ["topic.created"],
        f"/hook-*-[{scene.other}]": ["topic.created", "reply.created", "user.updated"],
        f"/hook-reply.created-[{scene.node}]": ["reply.created"],
    }


def test_a_webhook_of_a_node_gets_what_happened_there_before_a_topic_was_moved_away(scene):
    for node in (scene.node, scene.other):
        scene.add(f"{scene.receiver.url}-{node}", node_ids=[node])
    chief = scene.forum.person("chief", role="admin")
    scene.forum.reply(scene.alice, scene.topic)
    scene.alice.post("/likes", obj_type="topic", obj_id=scene.topic)
    chief.put(f"/topics/{scene.topic}", title="Title", node_id=scene.other, body="Other")
    last = scene.forum.reply(scene.alice, scene.topic)
    chief.post("/likes", obj_type="reply", obj_id=last)
    scene.tell()
    got: dict[str, list[str]] = {}
    for message in scene.receiver.received:
        got.setdefault(message.path, []).append(message.json["type"])
    assert got[f"/hook-{scene.node}"] == ["reply.created", "like.created", "topic.moved"]
    assert got[f"/hook-{scene.other}"] == [
        *("topic.updated", "topic.moved", "reply.created", "like.created")
    ]


def test_a_failed_attempt_is_repeated_with_the_same_id_after_growing_pauses(scene):
    scene.receiver.usual = Answer(500)
    scene.deliver_replies()
    for number, pause in enumerate(webhook_deliveries.RETRY_PAUSES[:4], 1):
        scene.pass_time(pause - timedelta(seconds=1))
        scene.send()
        assert len(scene.receiver.received) == number
        scene.pass_time(timedelta(seconds=1))
        scene.send()
        assert len(scene.receiver.received) == number + 1
    scene.receiver.usual = Answer(204)
    scene.pass_time(webhook_deliveries.RETRY_PAUSES[4])
    scene.send()
    assert len({message.id for message in scene.receiver.received}) == 1
    assert scene.deliveries()[0].state == "delivered"
    assert scene.webhook().failing_since is None


def test_a_receiver_that_takes_a_part_of_each_batch_is_not_switched_off(scene):
    for _ in range(6):
        scene.forum.reply(scene.alice, scene.topic)
    scene.fan_out()
    for _ in range(3):
        scene.receiver.answers, scene.receiver.usual = [Answer(200)], Answer(429)
        scene.send()
        assert scene.webhook().failing_since is None
        scene.pass_time(webhook_deliveries.SWITCH_OFF_AFTER)
    assert [one.state for one in scene.deliveries()].count("delivered") == 3
    assert scene.webhook().active


def test_a_delivery_is_given_up_after_the_last_pause_and_can_be_sent_again(scene):
    scene.receiver.usual = Answer(500)
    scene.deliver_replies()
    for pause in webhook_deliveries.RETRY_PAUSES:
        # One success in between: a webhook that only fails is switched off.
        with scene.forum.database.session.begin() as db:
            db.execute(update(Webhook).values(failing_since=None))
        scene.pass_time(pause)
        scene.send()
    assert len(scene.receiver.received) == 10
    [delivery] = scene.deliveries()
    assert (delivery.state, delivery.status) == ("failed", 500)
    scene.receiver.usual = Answer()
    with scene.forum.database.session.begin() as db:
        again = webhook_deliveries.replay(
            db,
            scene.id,
            scene.now + timedelta(seconds=1),
            since=scene.now - timedelta(days=7),
            until=None,
            include_delivered=False,
        )
    assert again == 1
    scene.pass_time(timedelta(seconds=2))
    scene.send()
    assert scene.deliveries()[0].state == "delivered"


@pytest.mark.parametrize(
    ("sent", "pause"),
    [("600", timedelta(minutes=10)), ("Fri, 31 Dec 9999 23:59:59 GMT", timedelta(days=1))],
)
def test_retry_after_is_honoured_for_a_day_at_most(scene, sent, pause):
    scene.receiver.answers = [Answer(503, {"Retry-After": sent})]
    scene.deliver_replies()
    scene.pass_time(pause - timedelta(seconds=1))
    scene.send()
    assert len(scene.receiver.received) == 1
    scene.pass_time(timedelta(seconds=1))
    scene.send()
    assert len(scene.receiver.received) == 2


def test_a_redirect_is_not_followed(scene):
    scene.receiver.answers = [Answer(301, {"Location": scene.receiver.url + "-elsewhere"})]
    scene.deliver_replies()
    assert [message.path for message in scene.receiver.received] == ["/hook"]
    assert "301" in scene.deliveries()[0].error


def test_410_switches_the_webhook_off_and_tells_admins_with_a_confirmed_address(scene):
    addresses = {"chief@example.org": clock.now(), "mistyped@example.org": None}
    for email, confirmed_at in addresses.items():
        admin = scene.forum.person(email.partition("@")[0], role="admin")
        values = {"email": email, "email_key": email, "email_confirmed_at": confirmed_at}
        scene.forum.change(admin.id, **values)
    scene.receiver.usual = Answer(410)
    scene.deliver_replies(2)
    scene.send()
    assert len(scene.receiver.received) == 1
    assert (scene.webhook().active, "410" in scene.webhook().disabled_reason) == (False, True)
    [mail] = queued_mails(scene.forum.database)
    assert (mail.kind, mail.recipient) == ("webhook_off", "chief@example.org")


def test_three_days_of_nothing_but_failure_switch_a_webhook_off(scene):
    scene.receiver.usual = Answer(500)
    scene.deliver_replies()
    scene.pass_time(timedelta(days=2, hours=23))
    scene.send()
    assert scene.webhook().active
    scene.pass_time(timedelta(days=1))
    scene.send()
    assert not scene.webhook().active
    assert "3 days" in scene.webhook().disabled_reason


def test_a_receiver_that_does_not_answer_costs_one_attempt_a_pause(scene):
    scene.receiver.usual = Answer(hang=True)
    scene.deliver_replies(3)
    assert len(scene.receiver.received) == 1
    assert [one.attempts for one in scene.deliveries()] == [1, 0, 0]
    assert scene.deliveries()[0].error == f"no answer within {SECONDS:g} s"
    scene.receiver.usual = Answer()
    scene.pass_time(webhook_deliveries.RETRY_PAUSES[0])
    scene.send()
    assert [one.state for one in scene.deliveries()] == ["delivered"] * 3
    ids = [message.id for message in scene.receiver.received]
    assert ids == [ids[0], *sorted({*ids}, key=lambda one: int(one.removeprefix("evt_")))]


def test_messages_share_a_connection_until_an_answer_is_endless(scene):
    scene.deliver_replies(5)
    assert (len(scene.receiver.received), scene.receiver.connections) == (5, 1)
    scene.forget_deliveries()
    scene.receiver.answers = [Answer(endless=True)]
    scene.deliver_replies(2)
    assert [one.state for one in scene.deliveries()] == ["delivered"] * 2


def test_a_receiver_that_is_not_there_is_tried_again(scene):
    with scene.forum.database.session.begin() as db:
        webhooks.edit(db, None, scene.now, scene.id, url="http://127.0.0.1:1/hook")
    scene.deliver_replies()
    assert scene.deliveries()[0].error == "NewConnectionError"
    with scene.forum.database.session.begin() as db:
        webhooks.edit(db, None, scene.now, scene.id, url=scene.receiver.url)
    scene.pass_time(webhook_deliveries.RETRY_PAUSES[0])
    scene.send()
    assert scene.deliveries()[0].state == "delivered"


def test_a_private_address_is_never_connected_to(make_forum, receiver, monkeypatch):
    forum = make_forum(site__url="https://forum.example.org")
    scene = Scene(forum, receiver, monkeypatch)
    with forum.database.session.begin() as db:
        port = receiver.url.partition("127.0.0.1:")[2].partition("/")[0]
        webhooks.edit(db, None, scene.now, scene.id, url=f"https://localhost:{port}/hook")
    forum.reply(scene.alice, scene.topic)
    scene.tell()
    assert receiver.connections == 0
    assert "private" in scene.deliveries()[0].error


class Killed(BaseException):
    """The process ends here."""


def test_what_was_sent_when_the_sender_died_is_sent_again_with_the_same_id(scene, monkeypatch):
    scene.forum.reply(scene.alice, scene.topic)
    with monkeypatch.context() as patch:
        patch.setattr(webhook_deliveries, "record", Mock(side_effect=Killed))
        with pytest.raises(Killed):
            scene.tell()
    scene.alice.put("/users/me", bio="New")
    scene.tell()
    assert scene.receiver.types == ["reply.created"]
    scene.pass_time(WebhookSender.lock)
    scene.send()
    assert scene.receiver.types == ["reply.created", "reply.created", "user.updated"]
    first, again, _ = scene.receiver.received
    assert first.id == again.id


@on_postgresql
def test_what_is_made_just_before_a_job_ends_is_sent(scene, monkeypatch):
    hold = jobs.hold

    def hold_late(*args: Any) -> bool:
        monkeypatch.setattr(jobs, "hold", hold)
        scene.alice.put("/users/me", bio="New")
        scene.fan_out()
        return hold(*args)

    monkeypatch.setattr(jobs, "hold", hold_late)
    scene.deliver_replies()
    assert scene.receiver.types == ["reply.created", "user.updated"]


def test_a_rotated_secret_signs_beside_the_former_one_for_a_day(scene):
    with scene.forum.database.session.begin() as db:
        assert webhooks.rotate(db, None, scene.now, scene.id) == 2
        webhook_deliveries.ping(db, scene.id, scene.now)
    scene.send()
    [message] = scene.receiver.received
    for generation in (1, 2):
        secret = webhook_signature.derive_secret(SECRET, scene.id, generation)
        Verifier(webhook_signature.format_secret(secret)).verify(message.body, message.headers)
    assert (message.json["type"], message.json["data"]) == ("ping", {"webhook_id": scene.id})


def test_no_secret_is_stored_or_logged(scene, caplog):
    caplog.set_level("DEBUG")
    scene.receiver.answers = [Answer(500)]
    scene.deliver_replies()
    secret = webhook_signature.format_secret(webhook_signature.derive_secret(SECRET, scene.id, 1))
    stored = str([*scene.deliveries(), scene.webhook()])
    for text in (secret, secret.removeprefix("whsec_"), SECRET):
        assert text not in stored + caplog.text


def test_a_dead_receiver_holds_up_no_other(scene):
    scene.receiver.usual = Answer(hang=True)
    with receiving() as other:
        scene.add(other.url)
        scene.deliver_replies(3)
        assert other.types == ["reply.created"] * 3
    assert len(scene.receiver.received) == 1


def test_a_webhook_that_fails_twice_misses_nothing_and_another_gets_all_in_order(scene):
    scene.receiver.answers = [Answer(500), Answer(500)]
    acts = [
        lambda: scene.forum.reply(scene.alice, scene.topic),
        lambda: scene.alice.post(f"/topics/{scene.topic}/action", type="close"),
        lambda: scene.alice.post(f"/topics/{scene.topic}/action", type="open"),
    ]
    types = ["reply.created", "topic.closed", "topic.opened"]
    with receiving() as other:
        scene.add(other.url)
        for number, act in enumerate(acts, 1):
            act()
            scene.tell()
            assert other.types == types[:number]
        for pause in webhook_deliveries.RETRY_PAUSES[:3]:
            scene.pass_time(pause)
            scene.send()
        assert other.types == types
    answered = scene.receiver.received[2:]
    assert sorted(message.json["type"] for message in answered) == sorted(types)
    assert {delivery.state for delivery in scene.deliveries()} == {"delivered"}


def test_a_webhook_that_is_switched_off_gets_nothing_of_what_waits(scene, monkeypatch):
    monkeypatch.setattr(webhook_sender, "_BATCH_SIZE", 1)
    send = CheckedConnection.post

    def send_and_switch_off(self: CheckedConnection, *message: Any) -> Outcome:
        outcome = send(self, *message)
        with scene.forum.database.session.begin() as db:
            webhooks.edit(db, None, scene.now, scene.id, active=False)
        return outcome

    monkeypatch.setattr(CheckedConnection, "post", send_and_switch_off)
    scene.deliver_replies(3)
    assert len(scene.receiver.received) == 1
    assert [one.state for one in scene.deliveries()] == ["delivered", "waiting", "waiting"]


def test_an_event_that_is_not_kept_any_more_is_not_the_receivers_failure(scene):
    scene.forum.reply(scene.alice, scene.topic)
    scene.fan_out()
    with scene.forum.database.session.begin() as db:
        db.execute(delete(Event))
    scene.send()
    [delivery] = scene.deliveries()
    assert (delivery.state, delivery.error) == ("failed", "the event is not kept any more")
    assert scene.webhook().failing_since is None


def test_a_message_that_cannot_be_made_stops_no_other(scene, monkeypatch):
    made = presenter.event

    def event(site: Any, row: Any, objects: Any) -> dict[str, Any]:
        if row.type == "reply.created":
            raise RuntimeError("a mistake")
        return made(site, row, objects)

    monkeypatch.setattr(presenter, "event", event)
    scene.forum.reply(scene.alice, scene.topic)
    scene.alice.put("/users/me", bio="New")
    scene.tell()
    assert scene.receiver.types == ["user.updated"]
    assert [one.state for one in scene.deliveries()] == ["failed", "delivered"]


def test_after_an_outage_new_deliveries_do_not_wait_as_long_as_an_old_one(scene):
    scene.receiver.usual = Answer(hang=True)
    scene.deliver_replies()
    for pause in webhook_deliveries.RETRY_PAUSES[:5]:
        scene.pass_time(pause)
        scene.send()
    scene.alice.token = scene.forum.token(scene.alice.id)
    scene.deliver_replies()
    old, new = scene.deliveries()
    assert old.due_at - scene.now > timedelta(hours=1)
    assert new.due_at - scene.now <= webhook_deliveries.MAX_PAUSE_OF_OTHERS
