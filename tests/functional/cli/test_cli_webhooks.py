"""`forumsvc webhook …`: adding, listing and deleting webhooks, and sending again."""

import pytest

from forumsvc import clock
from forumsvc.models import EventType
from forumsvc.queries import events as reading
from forumsvc.services import events
from forumsvc.services.webhooks import webhook_deliveries, webhook_fan_out, webhook_signature
from tests.functional.cli.conftest import Run

SECRET = "a secret that these tests made up"
URL = "https://hooks.example.org/forum"


@pytest.fixture
def added(run: Run) -> int:
    found = run("webhook", "add", URL, "--event", "topic.created", "--json").json
    expected = webhook_signature.derive_secret(SECRET, found["id"], 1)
    assert found["secret"] == webhook_signature.format_secret(expected)
    return int(found["id"])


def test_rotating_prints_another_secret(run, added):
    found = run("webhook", "rotate", added, "--json").json
    expected = webhook_signature.derive_secret(SECRET, added, 2)
    assert found["secret"] == webhook_signature.format_secret(expected)


def test_deliveries_are_listed_and_sent_again(run, database, added):
    assert run("webhook", "ping", added).code == 0
    with database.session.begin() as db:
        events.record(db, EventType.TOPIC_CREATED, clock.now(), actor_id=None, topic_id=1)
    with database.session.begin() as db:
        webhook_fan_out.fan_out(db, reading.since(db, 0, None, 10), clock.now())
    with database.session.begin() as db:
        due = webhook_deliveries.next_due(db, added, clock.now(), 10)
        failed = [
            webhook_deliveries.Attempt(one, 404, "the receiver answered 404", is_final=True)
            for one in due
        ]
        webhook_deliveries.record(db, failed, clock.now())
    listed = run("webhook", "deliveries", added, "--state", "failed", "--json").json["deliveries"]
    assert [(one["status"], one["due_at"]) for one in listed] == [(404, None)] * 2
    replayed = run("webhook", "replay", added, "--since", "2020-01-01T00:00:00Z", "--json")
    assert replayed.json == {"count": 2}
    waiting = run("webhook", "deliveries", added, "--state", "waiting", "--json")
    assert len(waiting.json["deliveries"]) == 2


def test_one_delivery_is_sent_again(run, database, added):
    run("webhook", "ping", added)
    with database.session.begin() as db:
        due = webhook_deliveries.next_due(db, added, clock.now(), 10)
        done = [webhook_deliveries.Attempt(one, 204, None) for one in due]
        webhook_deliveries.record(db, done, clock.now())
    [delivery] = run("webhook", "deliveries", added, "--json").json["deliveries"]
    assert delivery["state"] == "delivered"
    assert run("webhook", "redeliver", added, delivery["id"]).code == 0
    [delivery] = run("webhook", "deliveries", added, "--json").json["deliveries"]
    assert (delivery["state"], delivery["attempts"]) == ("waiting", 0)
