"""What waits for a webhook: an attempt costs the same however much it is, and a pause holds it."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from sqlalchemy import event, insert, select, text

from forumsvc import clock
from forumsvc.background.webhook_sender import WebhookSender
from forumsvc.db.engine import Database
from forumsvc.models import DeliveryState, Event, EventType, JobKind, WebhookDelivery
from forumsvc.outgoing.connection import CheckedConnection, Outcome
from forumsvc.queries import events as reading
from forumsvc.services import jobs
from forumsvc.services.webhooks import webhook_deliveries, webhook_fan_out, webhooks
from tests.functional.background_jobs import do_periodic_work

pytestmark = pytest.mark.both_databases

NOW = clock.now()


@pytest.fixture
def webhook(database: Database) -> int:
    values: dict[str, Any] = {"url": "https://example.org/hook", "node_ids": None}
    with database.session.begin() as db:
        return webhooks.create(db, None, NOW, events=["*"], description="", most=20, **values)


@pytest.fixture
def no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = Outcome(None, "no answer", None, 1)
    monkeypatch.setattr(CheckedConnection, "post", lambda *message: outcome)


def add_pings(database: Database, webhook_id: int, number: int) -> None:
    """Let pings of a webhook be due, and PostgreSQL know how many there are."""
    row = {"webhook_id": webhook_id, "due_at": NOW, "created_at": NOW}
    with database.session.begin() as db:
        db.execute(insert(WebhookDelivery), [row] * number)
        webhook_deliveries.make_due(db, webhook_id, NOW)
        db.execute(text("ANALYZE webhook_deliveries"))


def is_due(database: Database) -> bool:
    """Return whether something would be sent."""
    with database.reads.connect() as db:
        return jobs.count_due(db, JobKind.DELIVER, clock.now(), WebhookSender.lock, 10) > 0


def test_old_deliveries_are_deleted_but_not_what_a_webhook_still_waits_for(forum, webhook):
    settings = forum.registry.forum_settings
    ages = {"old": timedelta(days=settings["events.keep_days"]), "new": timedelta(hours=1)}
    with forum.database.session.begin() as db:
        for age, state in product(ages, DeliveryState):
            row = {"created_at": NOW - ages[age], "due_at": NOW, "error": f"{age} {state}"}
            db.execute(insert(WebhookDelivery).values(webhook_id=webhook, state=state, **row))
    do_periodic_work(forum)
    with forum.database.reads.connect() as reads:
        left = set(reads.scalars(select(WebhookDelivery.error)))
    assert left == {"old waiting", *(f"new {state}" for state in DeliveryState)}


@pytest.mark.usefixtures("no_answer")
def test_an_attempt_without_an_answer_writes_nothing_of_what_waits_behind_it(forum, webhook):
    written = []

    def note(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if "UPDATE webhook_deliveries" in statement:
            written.append(cursor.rowcount)

    add_pings(forum.database, webhook, 500)
    writes = forum.registry.database.writes
    event.listen(writes, "after_cursor_execute", note)
    try:
        assert forum.registry.job_runner.run_due(JobKind.DELIVER) == 1
    finally:
        event.remove(writes, "after_cursor_execute", note)
    assert written == [1]
    assert not is_due(forum.database)


def test_the_next_deliveries_are_found_without_sorting_all_that_wait(database, webhook):
    add_pings(database, webhook, 3000)
    sent: list[tuple[str, Any]] = []

    def note(conn: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        sent.append((statement, parameters))

    with database.writes.connect() as db:
        event.listen(database.writes, "before_cursor_execute", note)
        try:
            found = webhook_deliveries.next_due(db, webhook, NOW, 10)
            assert webhook_deliveries.next_due_at(db, webhook) == NOW
        finally:
            event.remove(database.writes, "before_cursor_execute", note)
        first = [*db.scalars(select(WebhookDelivery.id).order_by(WebhookDelivery.id).limit(10))]
        assert [delivery.id for delivery in found] == first
        explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
        for statement, parameters in sent:
            plan = [row[-1] for row in db.exec_driver_sql(explain + statement, parameters)]
            assert not [step for step in plan if "Sort" in step or "TEMP B-TREE" in step], plan


@pytest.mark.usefixtures("no_answer")
@pytest.mark.parametrize("what", ["edit", "ping", "redeliver", "replay", "fan_out"])
def test_an_administrator_who_acts_ends_the_pause_of_a_webhook_and_an_event_does_not(
    what, forum, webhook
):
    add_pings(forum.database, webhook, 20)
    forum.registry.job_runner.run_due(JobKind.DELIVER)
    now = clock.now()
    with forum.database.session.begin() as db:
        if what == "edit":
            webhooks.edit(db, None, now, webhook, description="New")
        elif what == "ping":
            webhook_deliveries.ping(db, webhook, now)
        elif what == "redeliver":
            delivery_id = db.scalar(select(WebhookDelivery.id).limit(1))
            assert delivery_id is not None
            webhook_deliveries.redeliver(db, webhook, delivery_id, now)
        elif what == "replay":
            times: dict[str, Any] = {"since": NOW, "until": None}
            webhook_deliveries.replay(db, webhook, now, **times, include_delivered=False)
        else:
            db.execute(insert(Event).values(type=EventType.USER_UPDATED, created_at=now))
            event_ids = [*db.scalars(select(Event.id))]
            found = [*reading.by_ids(db, event_ids).values()]
            assert webhook_fan_out.fan_out(db, found, now) == 1
    assert is_due(forum.database) is (what != "fan_out")
