"""`/webhooks`: who calls the service's own API to manage what is sent out."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert, update

from forumsvc import clock
from forumsvc.models import DeliveryState, Event, Webhook, WebhookDelivery
from forumsvc.services.webhooks import webhook_signature
from tests.functional.forum import SECRET, Forum, Person

URL = "https://hooks.example.org/forum"
NEW: dict[str, Any] = {"url": URL, "events": ["topic.created"]}


@pytest.fixture
def admin(forum: Forum) -> Person:
    """An admin with a token for administration alone."""
    return forum.person("admin", role="admin", scope="admin")


@pytest.fixture
def webhook_id(admin: Person) -> int:
    return int(admin.call("POST", "/webhooks", json=NEW).json["id"])


def deliver(forum: Forum, webhook_id: int, *states: DeliveryState) -> list[int]:
    """Add a delivery in each of these states, for events 1, 2, …; return their ids."""
    moment = clock.now() - timedelta(hours=1)
    values = [
        {
            "webhook_id": webhook_id,
            "event_id": number,
            "state": state,
            "attempts": 1,
            "due_at": moment,
            "created_at": moment,
        }
        for number, state in enumerate(states, 1)
    ]
    with forum.database.session.begin() as db:
        added = insert(WebhookDelivery).returning(WebhookDelivery.id, sort_by_parameter_order=True)
        return [*db.execute(added, values).scalars()]


def test_a_secret_is_derived_from_that_of_the_service_and_another_one_after_a_rotation(admin):
    made = admin.call("POST", "/webhooks", json=NEW).json
    shown = [made["secret"], admin.post(f"/webhooks/{made['id']}/rotate").json["secret"]]
    derived = [webhook_signature.derive_secret(SECRET, made["id"], number) for number in (1, 2)]
    assert shown == [webhook_signature.format_secret(secret) for secret in derived]


def test_one_that_was_switched_off_starts_again_without_failures(forum, admin, webhook_id):
    off = {"active": False, "disabled_reason": "gone", "failing_since": clock.now()}
    with forum.database.session.begin() as db:
        db.execute(update(Webhook).values(**off))
    assert admin.get(f"/webhooks/{webhook_id}").json["disabled_reason"] == "gone"
    shown = admin.call("PUT", f"/webhooks/{webhook_id}", json={"active": True}).json
    assert (shown["active"], shown["disabled_reason"]) == (True, None)


@pytest.mark.both_databases
def test_a_deleted_one_is_gone_with_its_deliveries(forum, admin, webhook_id):
    deliver(forum, webhook_id, DeliveryState.WAITING)
    assert admin.delete(f"/webhooks/{webhook_id}").json == {"ok": 1}
    for path in (f"/webhooks/{webhook_id}", f"/webhooks/{webhook_id}/deliveries"):
        assert admin.get(path).status_int == 404
    assert forum.count(WebhookDelivery) == 0


def test_managing_webhooks_records_no_event(forum, admin, webhook_id):
    path = f"/webhooks/{webhook_id}"
    assert admin.call("PUT", path, json={"description": "New"}).status_int == 200
    for name in ("rotate", "ping"):
        assert admin.post(f"{path}/{name}").status_int in (200, 202)
    assert admin.delete(path).status_int == 200
    assert forum.count(Event) == 0


WRONG: list[tuple[str, Any, str]] = [
    ("url", "http://hooks.example.org/", "https://"),
    ("url", "ftp://hooks.example.org/", "https://"),
    ("url", "https://10.0.0.1/", "private or reserved"),
    ("url", "https://[::1]/", "private or reserved"),
    ("url", "https://hooks.example.org:25/", "port"),
    ("url", "https://user:password@hooks.example.org/", "password"),
    ("url", "https://hooks.example.org/" + "a" * 2000, "2000"),
    ("url", 7, "text"),
    ("url", ["a"], "text"),
    ("url", "", "empty"),
    ("events", [], "empty"),
    ("events", "", "empty"),
    ("events", ["topic.created", "topic.praised"], "topic.praised"),
    ("events", [7], "7"),
    ("events", {"a": 1}, "one of"),
    ("node_ids", [0], "there is no node"),
    ("node_ids", [10**30], "there is no node"),
    ("node_ids", ["general"], "integer"),
    ("node_ids", [*range(101)], "100"),
    ("description", "x" * 501, "500"),
    ("description", "a\0", "U+0000"),
    ("active", "maybe", "true or false"),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
def test_a_wrong_value_is_refused_with_its_name_and_nothing_is_written(
    forum, admin, webhook_id, name, value, said
):
    before = admin.get("/webhooks").json
    for answer in (
        admin.call("POST", "/webhooks", json={**NEW, name: value}),
        admin.call("PUT", f"/webhooks/{webhook_id}", json={"description": "New", name: value}),
    ):
        assert answer.status_int == 400, answer.text
        assert answer.json["error"].startswith(f"{name}: ")
        assert said in answer.json["error"]
    assert admin.get("/webhooks").json == before


@pytest.mark.both_databases
def test_deliveries_are_listed_newest_first_in_pages_and_by_state(forum, admin, webhook_id):
    other = admin.call("POST", "/webhooks", json=NEW).json["id"]
    deliver(forum, other, DeliveryState.FAILED)
    states = [DeliveryState.WAITING, DeliveryState.FAILED, DeliveryState.DELIVERED] * 2
    ids = deliver(forum, webhook_id, *states)
    path = f"/webhooks/{webhook_id}/deliveries"
    shown = admin.get(path).json
    assert [one["id"] for one in shown] == ids[::-1]
    assert [one["state"] for one in shown] == states[::-1]
    assert shown[0]["event_id"] == "evt_6"
    assert [one["due_at"] is None for one in shown] == [state != "waiting" for state in states][
        ::-1
    ]
    failed = admin.get(path, state="failed", limit=1)
    assert [one["id"] for one in failed.json] == [ids[4]]
    after = failed.headers["Link"].rpartition("after=")[2].partition(">")[0]
    assert [one["id"] for one in admin.get(path, state="failed", after=after).json] == [ids[1]]
    wrong = admin.get(path, state="lost")
    assert wrong.status_int == 400
    assert wrong.json["error"].startswith("state: ")


def test_a_delivery_is_sent_again(forum, admin, webhook_id):
    [delivery_id] = deliver(forum, webhook_id, DeliveryState.DELIVERED)
    path = f"/webhooks/{webhook_id}/deliveries"
    answer = admin.post(f"{path}/{delivery_id}/redeliver")
    assert (answer.status_int, answer.json) == (202, {"ok": 1})
    [delivery] = admin.get(path).json
    assert (delivery["state"], delivery["attempts"]) == ("waiting", 0)
    other = admin.call("POST", "/webhooks", json=NEW).json["id"]
    wrong = (f"{path}/{delivery_id + 1}", f"/webhooks/{other}/deliveries/{delivery_id}")
    assert [admin.post(f"{one}/redeliver").status_int for one in wrong] == [404, 404]


@pytest.mark.both_databases
def test_replay_sends_what_failed_in_a_time_or_all(forum, admin, webhook_id):
    path = f"/webhooks/{webhook_id}/replay"
    hours_ago = [clock.rfc3339(clock.now() - timedelta(hours=hours)) for hours in (2, 0.5)]

    def replay(**sent: Any) -> tuple[int, Any]:
        deliver_again = admin.call("POST", path, json={"since": hours_ago[0], **sent})
        return deliver_again.status_int, deliver_again.json

    deliver(forum, webhook_id, DeliveryState.FAILED, DeliveryState.DELIVERED)
    assert replay(since=hours_ago[1]) == (202, {"count": 0})
    assert replay(until=hours_ago[0]) == (202, {"count": 0})
    assert replay(until=hours_ago[1]) == (202, {"count": 1})
    assert replay() == (202, {"count": 0})
    assert replay(all=True) == (202, {"count": 1})


def test_a_webhook_is_changed_and_deleted_only_as_it_was_read(admin, webhook_id):
    path, changed = f"/webhooks/{webhook_id}", {"description": "Mine"}
    read = admin.get(path).headers["ETag"]
    done = admin.call("PUT", path, json=changed, headers={"If-Match": read})
    assert done.status_int == 200
    assert admin.call("DELETE", path, headers={"If-Match": read}).status_int == 412
    current = {"If-Match": done.headers["ETag"]}
    assert admin.call("PUT", path, json={"active": False}, headers=current).status_int == 200
    assert admin.call("DELETE", path, headers=current).status_int == 412
    assert admin.get(path).json["description"] == "Mine"
