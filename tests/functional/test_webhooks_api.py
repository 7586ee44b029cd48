"""`/webhooks`: who calls the service's own API to manage what is sent out."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert, update

from forumsvc import clock
from forumsvc.models import DeliveryState, Event, Webhook, WebhookDelivery
from forumsvc.services import webhook_signature
from tests.functional.conftest import MakeForum
from tests.functional.forum import SECRET, Forum, Person

URL = "https://hooks.example.org/forum"
NEW: dict[str, Any] = {"url": URL, "events": ["topic.created"]}
KEYS = {
    *("id", "url", "description", "events", "node_ids"),
    *("active", "disabled_reason", "created_at"),
}


@pytest.fixture
def admin(forum: Forum) -> Person:
    """An admin with a token for administration alone."""
    return forum.person("admin", role="admin", scope="admin")


@pytest.fixture
def webhook_id(admin: Person) -> int:
    """The id of a webhook."""
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


def test_a_webhook_is_created_with_a_secret_that_is_shown_once(forum: Forum, admin: Person) -> None:
    node = forum.node()
    sent = {**NEW, "node_ids": [node], "description": "Chat bridge"}
    made = admin.call("POST", "/webhooks", json=sent)
    assert made.status_int == 201
    shown = made.json
    assert made.headers["Location"].endswith(f"/api/v3/webhooks/{shown['id']}")
    secret = webhook_signature.derive_secret(SECRET, shown["id"], 1)
    assert shown.pop("secret") == webhook_signature.format_secret(secret)
    assert set(shown) == KEYS
    assert {name: shown[name] for name in sent} == sent
    assert (shown["active"], shown["disabled_reason"]) == (True, None)
    assert admin.get(f"/webhooks/{shown['id']}").json == shown
    assert admin.get("/webhooks").json == [shown]


def test_a_form_may_name_several_events_and_nodes_each_of_which_counts_once(
    forum: Forum, admin: Person
) -> None:
    nodes = [forum.node(), forum.node("Other")]
    both = ",".join(map(str, nodes))
    events = "topic.created,reply.created,topic.created"
    made = admin.post("/webhooks", url=URL, events=events, node_ids=both)
    assert (made.json["events"], made.json["node_ids"]) == (
        ["topic.created", "reply.created"],
        nodes,
    )


def test_rotating_shows_another_secret(admin: Person, webhook_id: int) -> None:
    answer = admin.post(f"/webhooks/{webhook_id}/rotate")
    assert answer.status_int == 200
    secret = webhook_signature.derive_secret(SECRET, webhook_id, 2)
    assert answer.json["secret"] == webhook_signature.format_secret(secret)


def test_any_part_can_be_changed_and_the_rest_stays(forum: Forum, admin: Person) -> None:
    node = forum.node()
    made = admin.call(
        "POST", "/webhooks", json={**NEW, "node_ids": [node], "description": "Old"}
    ).json
    made.pop("secret")
    path = f"/webhooks/{made['id']}"
    parts: list[dict[str, Any]] = [
        {"url": "https://other.example.org/"},
        {"events": ["*"]},
        {"description": ""},
        {"node_ids": []},
        {"node_ids": [node]},
        {"active": False},
    ]
    for part in parts:
        made |= {name: None if value == [] else value for name, value in part.items()}
        assert admin.call("PUT", path, json=part).json == made
    assert admin.call("PUT", path, json={}).json == made


def test_null_means_that_a_part_is_missing(forum: Forum, admin: Person) -> None:
    sent = {**NEW, "node_ids": [forum.node()]}
    path = f"/webhooks/{admin.call('POST', '/webhooks', json=sent).json['id']}"
    nulls = dict.fromkeys(("url", "events", "node_ids", "description", "active"))
    shown = admin.call("PUT", path, json=nulls).json
    assert {name: shown[name] for name in sent} == sent


def test_one_that_was_switched_off_starts_again_without_failures(
    forum: Forum, admin: Person, webhook_id: int
) -> None:
    off = {"active": False, "disabled_reason": "gone", "failing_since": clock.now()}
    with forum.database.session.begin() as db:
        db.execute(update(Webhook).values(**off))
    assert admin.get(f"/webhooks/{webhook_id}").json["disabled_reason"] == "gone"
    shown = admin.call("PUT", f"/webhooks/{webhook_id}", json={"active": True}).json
    assert (shown["active"], shown["disabled_reason"]) == (True, None)


@pytest.mark.both_databases
def test_a_deleted_one_is_gone_with_its_deliveries(
    forum: Forum, admin: Person, webhook_id: int
) -> None:
    deliver(forum, webhook_id, DeliveryState.WAITING)
    assert admin.delete(f"/webhooks/{webhook_id}").json == {"ok": 1}
    for path in (f"/webhooks/{webhook_id}", f"/webhooks/{webhook_id}/deliveries"):
        assert admin.get(path).status_int == 404
    assert forum.count(WebhookDelivery) == 0


def test_managing_webhooks_records_no_event(forum: Forum, admin: Person, webhook_id: int) -> None:
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
    forum: Forum, admin: Person, webhook_id: int, name: str, value: Any, said: str
) -> None:
    before = admin.get("/webhooks").json
    for answer in (
        admin.call("POST", "/webhooks", json={**NEW, name: value}),
        admin.call("PUT", f"/webhooks/{webhook_id}", json={"description": "New", name: value}),
    ):
        assert answer.status_int == 400, answer.text
        assert answer.json["error"].startswith(f"{name}: ")
        assert said in answer.json["error"]
    assert admin.get("/webhooks").json == before


@pytest.mark.parametrize("name", ["url", "events"])
def test_a_webhook_needs_a_url_and_events(admin: Person, name: str) -> None:
    sent = {key: value for key, value in NEW.items() if key != name}
    answer = admin.call("POST", "/webhooks", json=sent)
    assert (answer.status_int, answer.json) == (400, {"error": f"{name}: is required"})


def test_there_are_no_more_than_the_operator_allows(make_forum: MakeForum) -> None:
    admin = make_forum(webhooks__most="2").person("admin", role="admin", scope="admin")
    assert [admin.call("POST", "/webhooks", json=NEW).status_int for _ in range(3)] == [
        201,
        201,
        403,
    ]


def test_a_ping_is_sent_later(admin: Person, webhook_id: int) -> None:
    answer = admin.post(f"/webhooks/{webhook_id}/ping")
    assert (answer.status_int, answer.json) == (202, {"ok": 1})
    [delivery] = admin.get(f"/webhooks/{webhook_id}/deliveries").json
    assert (delivery["event_id"], delivery["state"]) == (None, "waiting")


@pytest.mark.both_databases
def test_deliveries_are_listed_newest_first_in_pages_and_by_state(
    forum: Forum, admin: Person, webhook_id: int
) -> None:
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


def test_a_delivery_is_sent_again(forum: Forum, admin: Person, webhook_id: int) -> None:
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
def test_replay_sends_what_failed_in_a_time_or_all(
    forum: Forum, admin: Person, webhook_id: int
) -> None:
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


@pytest.mark.parametrize(
    "moment", ["", "yesterday", "2026-11-21", "2026-11-21T08:00:00", "2026-13-01T00:00:00Z", 7]
)
@pytest.mark.parametrize("name", ["since", "until"])
def test_a_wrong_time_is_refused(admin: Person, webhook_id: int, name: str, moment: Any) -> None:
    if (name, moment) == ("until", ""):
        return
    sent = {"since": "2026-11-21T08:00:00Z", name: moment}
    answer = admin.call("POST", f"/webhooks/{webhook_id}/replay", json=sent)
    assert answer.status_int == 400
    assert answer.json["error"].startswith(f"{name}: ")


def test_a_replay_needs_a_beginning(admin: Person, webhook_id: int) -> None:
    answer = admin.post(f"/webhooks/{webhook_id}/replay")
    assert (answer.status_int, answer.json) == (400, {"error": "since: is required"})


def test_each_scope_is_for_its_own_permissions(forum: Forum) -> None:
    both = forum.person("root", role="admin", scope="read write admin")
    alone = forum.person("admin", role="admin", scope="admin")
    node = forum.node()
    assert both.get("/webhooks").status_int == 200
    sent = {"title": "T", "body": "B", "node_id": node}
    assert [one.call("POST", "/topics", json=sent).status_int for one in (both, alone)] == [
        201,
        403,
    ]
    assert [one.get("/topics").status_int for one in (both, alone)] == [200, 403]


def test_the_keyed_shape(make_forum: MakeForum) -> None:
    forum = make_forum(api__envelope="keyed")
    admin = forum.person("admin", role="admin", scope="admin")
    made = admin.call("POST", "/webhooks", json=NEW)
    assert (made.status_int, [*made.json], made.json["meta"]) == (200, ["webhook", "meta"], {})
    shown = made.json["webhook"]
    assert shown.pop("secret")
    path = f"/webhooks/{shown['id']}"
    assert admin.get(path).json == {"webhook": shown, "meta": {}}
    assert admin.get("/webhooks").json == {"webhooks": [shown]}
    assert admin.post(f"{path}/ping").status_int == 202
    assert [*admin.get(f"{path}/deliveries").json] == ["deliveries"]
    assert admin.call("POST", f"{path}/replay", json={"since": "2026-01-01T00:00:00Z"}).json == {
        "count": 0
    }


def test_a_webhook_is_changed_and_deleted_only_as_it_was_read(
    admin: Person, webhook_id: int
) -> None:
    path, changed = f"/webhooks/{webhook_id}", {"description": "Mine"}
    read = admin.get(path).headers["ETag"]
    done = admin.call("PUT", path, json=changed, headers={"If-Match": read})
    assert done.status_int == 200
    assert admin.call("DELETE", path, headers={"If-Match": read}).status_int == 412
    current = {"If-Match": done.headers["ETag"]}
    assert admin.call("PUT", path, json={"active": False}, headers=current).status_int == 200
    assert admin.call("DELETE", path, headers=current).status_int == 412
    assert admin.get(path).json["description"] == "Mine"
