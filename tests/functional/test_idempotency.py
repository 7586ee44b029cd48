"""A repeated creation with an Idempotency-Key is executed once and its response replayed."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from forumsvc import clock
from forumsvc.db.expired_rows import delete_batch
from forumsvc.models import IdempotencyKey, Reply, Topic
from forumsvc.services import idempotency
from tests.cases import each
from tests.functional.forum import API, Caller
from tests.functional.raw import raw
from tests.functional.recounting import drift
from tests.functional.statements import counting
from tests.functional.threads import alone, statuses, together

REPLAYED = "Idempotency-Replayed"


def opened(caller: Caller, node: int, *, key: str, title: str = "T", body: str = "B") -> Any:
    """Create a topic with a key."""
    sent = {"title": title, "node_id": node, "body": body}
    return caller.call("POST", "/topics", sent, headers={"Idempotency-Key": key})


def said(answer: Any) -> tuple[int, bytes, str | None, str | None]:
    found = answer.headers.get
    return answer.status_int, answer.body, found("Location"), found("ETag")


@pytest.mark.both_databases
def test_a_topic_that_is_sent_again_is_there_once(forum, alice, node):
    first, again = opened(alice, node, key="one"), opened(alice, node, key="one")
    assert first.status_int == 201
    assert said(again) == said(first)
    path, sent = f"/topics/{first.json['id']}", {"title": "U", "node_id": node, "body": "B"}
    changed = alice.call("PUT", path, sent, headers={"If-Match": again.headers["ETag"]})
    assert changed.status_int == 200
    assert (first.headers.get(REPLAYED), again.headers.get(REPLAYED)) == (None, "true")
    assert (forum.count(Topic), drift(forum.database)) == (1, [])


def test_a_reply_that_is_sent_again_is_there_once(forum, alice, node):
    path, headers = f"/topics/{forum.topic(alice, node)}/replies", {"Idempotency-Key": "one"}
    first, again = (alice.call("POST", path, {"body": "B"}, headers=headers) for _ in range(2))
    assert (said(again), forum.count(Reply)) == (said(first), 1)


def test_the_encoding_of_the_request_and_the_quotes_of_the_key_make_no_difference(
    forum, alice, node
):
    first = opened(alice, node, key="a-\\key")
    json = {"body": "B", "node_id": str(node), "title": " T "}
    headers = {"Idempotency-Key": r'"a-\\key"'}
    again = alice.call("POST", "/topics", json=json, headers=headers)
    assert (said(again), forum.count(Topic)) == (said(first), 1)


@pytest.mark.both_databases
def test_a_key_of_another_request_is_422_and_nothing_is_done(forum, alice, node):
    topic = opened(alice, node, key="one").json["id"]
    answers = [opened(alice, node, key="one", body="Another")]
    sent = {"title": "T", "node_id": node, "body": "B"}
    path, headers = f"/topics/{topic}/replies", {"Idempotency-Key": "one"}
    answers.append(alice.call("POST", path, sent, headers=headers))
    # What is replied to is in the path alone.
    headers = {"Idempotency-Key": "two"}
    assert alice.call("POST", path, {"body": "B"}, headers=headers).status_int == 201
    path = f"/topics/{forum.topic(alice, node)}/replies"
    answers.append(alice.call("POST", path, {"body": "B"}, headers=headers))
    for answer in answers:
        assert answer.status_int == 422
        assert answer.json == {"error": "Idempotency-Key: this key was used for another request."}
    assert (forum.count(Topic), forum.count(Reply)) == (2, 1)


def test_each_user_has_keys_of_their_own(forum, alice, node):
    first = opened(alice, node, key="one")
    other = opened(forum.person("bob"), node, key="one")
    assert (first.status_int, other.status_int, forum.count(Topic)) == (201, 201, 2)


@each("key", ["", "x" * 256, "\xe4", "a\tb", '"', '""', '"open', r'"\a"'])
def test_a_malformed_key_is_400_and_names_the_header(forum, alice, node, key):
    body = f"title=T&body=B&node_id={node}".encode()
    headers = {"Idempotency-Key": key, "Authorization": f"Bearer {alice.token}"}
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    answer = raw(forum, "POST", f"{API}/topics", headers, body)
    assert answer.status_int == 400
    assert answer.json["error"].startswith("Idempotency-Key: must be")
    assert forum.count(Topic) == 0


@each("key", ["x", "x" * 255, "a b", '"' + "x" * 255 + '"', "'{}\\"])
def test_other_keys_are_good(alice, node, key):
    assert opened(alice, node, key=key).status_int == 201


@pytest.mark.both_databases
def test_what_failed_may_be_tried_again_with_its_key(forum, alice, node):
    assert opened(alice, node + 1, key="one").status_int == 400
    assert forum.count(IdempotencyKey) == 0
    assert opened(alice, node, key="one").status_int == 201


def test_a_replay_needs_the_permission_of_the_request(forum, alice, node):
    topic, chief = forum.topic(alice, node), forum.person("chief", role="admin")
    headers = {"Idempotency-Key": "one"}
    send = partial(alice.call, "POST", f"/topics/{topic}/replies", {"body": "B"}, headers=headers)
    assert send().status_int == 201
    chief.post(f"/topics/{topic}/action?type=close")
    assert send().status_int == 403
    chief.delete(f"/topics/{topic}")
    assert send().status_int == 404
    forum.change(alice.id, state="deleted")
    assert send().status_int == 401


@pytest.mark.both_databases
def test_after_its_time_a_key_is_a_new_one_and_is_cleared_away(make_forum, monkeypatch):
    forum = make_forum(idempotency__ttl_seconds="60")
    alice, node, now = forum.person("alice"), forum.node(), clock.now()

    def opened_at(seconds: int, body: str) -> Any:
        monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=seconds))
        return opened(alice, node, key="one", body=body)

    def kept(until: datetime) -> int:
        delete_batch(forum.database, idempotency.expired(timedelta()), until)
        return forum.count(IdempotencyKey)

    first, again, later = opened_at(0, "B"), opened_at(59, "B"), opened_at(60, "C")
    assert (said(again), later.status_int, REPLAYED in later.headers) == (said(first), 201, False)
    assert (said(opened_at(119, "C")), forum.count(Topic)) == (said(later), 2)
    assert (kept(now + timedelta(seconds=59)), kept(now + timedelta(seconds=60))) == (1, 0)


@pytest.mark.both_databases
def test_16_at_once_with_one_key_are_one_and_all_get_its_answer(forum, alice, node):
    callers = [alone(forum, alice) for _ in range(16)]
    answers = together([partial(opened, caller, node, key="one") for caller in callers])
    assert statuses(answers) == {201: 16}
    assert {said(answer) for answer in answers} == {said(answers[0])}
    assert [answer.headers.get(REPLAYED) for answer in answers].count("true") == 15
    assert (forum.count(Topic), drift(forum.database)) == (1, [])


@pytest.mark.both_databases
def test_16_at_once_with_one_key_and_different_texts_are_one_and_15_refusals(forum, alice, node):
    callers = enumerate(alone(forum, alice) for _ in range(16))
    answers = together([partial(opened, one, node, key="one", body=f"B{n}") for n, one in callers])
    assert statuses(answers) == {201: 1, 422: 15}
    assert (forum.count(Topic), drift(forum.database)) == (1, [])


@pytest.mark.both_databases
def test_a_key_costs_three_statements_and_to_answer_again_two(forum, alice, node):
    costs = []
    for send in (partial(opened, key="one"), partial(opened, key="one")):
        with counting(forum.registry.database) as seen:
            send(alice, node)
        costs.append(len(seen))
    with counting(forum.registry.database) as plain:
        forum.topic(alice, node)
    # The token and the kept answer: nothing is written.
    assert costs == [len(plain) + 3, 2]
