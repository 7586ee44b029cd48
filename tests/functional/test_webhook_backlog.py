"""A failed attempt, a claim and a count cost the same however many deliveries wait."""

from typing import Any

import pytest
from sqlalchemy import event, insert, select, text

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import ALL_EVENTS, Webhook, WebhookDelivery
from forumsvc.services import webhook_deliveries, webhooks

pytestmark = pytest.mark.both_databases

NOW = clock.now()


@pytest.fixture
def webhook(database: Database) -> int:
    url = "https://example.org/hook"
    values: dict[str, Any] = {"url": url, "node_ids": None, "description": ""}
    with database.session.begin() as db:
        return webhooks.create(db, None, NOW, events=[ALL_EVENTS], most=20, **values)


def add_deliveries(database: Database, webhook_id: int, number: int) -> None:
    """Add deliveries that are due to a webhook, and let PostgreSQL know how many there are."""
    columns = {"webhook_id": webhook_id, "due_at": NOW, "created_at": NOW}
    rows = [{**columns, "event_id": event_id} for event_id in range(1, number + 1)]
    with database.session.begin() as db:
        db.execute(insert(WebhookDelivery), rows)
        db.execute(text("ANALYZE webhook_deliveries"))


def fail_once(database: Database, webhook_id: int) -> int:
    """Let the next delivery get no answer; return how many rows of deliveries are written."""
    written = []

    def note(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if "UPDATE webhook_deliveries" in statement:
            # SQLite counts the rows of a RETURNING only when they were read: the claimed ones.
            written.append(cursor.rowcount if cursor.rowcount > 0 else 0)

    with database.session.begin() as db:
        claimed = webhook_deliveries.claim(db, webhook_id, NOW, 10)
    event.listen(database.writes, "after_cursor_execute", note)
    try:
        with database.session.begin() as db:
            attempt = webhook_deliveries.Attempt(claimed[0], None, "no answer")
            webhook_deliveries.record(db, [attempt], NOW)
            webhook_deliveries.give_back(db, claimed[1:], NOW)
            webhook_deliveries.pause(db, webhook_id, claimed[0], NOW)
    finally:
        event.remove(database.writes, "after_cursor_execute", note)
    return sum(written)


def test_an_attempt_without_an_answer_writes_nothing_of_what_waits_behind_it(
    database: Database, webhook: int
) -> None:
    add_deliveries(database, webhook, 500)
    assert fail_once(database, webhook) == 10
    with database.reads.connect() as db:
        assert webhook_deliveries.due_webhooks(db, NOW) == []
        later = NOW + webhook_deliveries.MAX_PAUSE_OF_OTHERS
        assert webhook_deliveries.due_webhooks(db, later) == [webhook]


def test_the_next_deliveries_are_found_without_sorting_all_that_wait(
    database: Database, webhook: int
) -> None:
    add_deliveries(database, webhook, 3000)
    sent: list[tuple[str, Any]] = []

    def note(conn: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        sent.append((statement, parameters))

    event.listen(database.writes, "before_cursor_execute", note)
    try:
        with database.session.begin() as db:
            claimed = webhook_deliveries.claim(db, webhook, NOW, 10)
    finally:
        event.remove(database.writes, "before_cursor_execute", note)
    assert [delivery.event_id for delivery in claimed] == [*range(1, 11)]
    [(statement, parameters)] = [one for one in sent if "webhook_deliveries" in one[0]]
    explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
    with database.writes.connect() as connection:
        plan = [row[-1] for row in connection.exec_driver_sql(explain + statement, parameters)]
    assert [step for step in plan if "Sort" in step or "TEMP B-TREE" in step] == []


def test_of_the_deliveries_that_wait_a_bounded_number_is_counted(
    database: Database, webhook: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_deliveries, "MOST_COUNTED", 20)
    add_deliveries(database, webhook, 50)
    with database.reads.connect() as db:
        found = webhook_deliveries.waiting(db)
    assert (found.number, found.oldest_at) == (20, NOW)


@pytest.mark.parametrize("what", ["edit", "ping", "redeliver", "replay"])
def test_an_administrator_who_acts_ends_the_pause_of_a_webhook(
    what: str, database: Database, webhook: int
) -> None:
    add_deliveries(database, webhook, 20)
    fail_once(database, webhook)
    with database.session.begin() as db:
        if what == "edit":
            webhooks.edit(db, None, NOW, webhook, description="New")
        elif what == "ping":
            webhook_deliveries.ping(db, webhook, NOW)
        elif what == "redeliver":
            delivery_id = db.scalar(select(WebhookDelivery.id).limit(1))
            assert delivery_id is not None
            webhook_deliveries.redeliver(db, webhook, delivery_id, NOW)
        else:
            webhook_deliveries.replay(
                db, webhook, NOW, since=NOW, until=None, include_delivered=False
            )
    with database.reads.connect() as db:
        assert webhook_deliveries.due_webhooks(db, NOW) == [webhook]
        assert db.scalar(select(Webhook.resume_at)) is None
