"""`forumsvc doctor`: what waits, failed, or is outdated."""

from datetime import timedelta

import pytest
from sqlalchemy import insert, update

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.markup import RENDERER_VERSION
from forumsvc.models import (
    DeliveryState,
    EventType,
    Job,
    JobKind,
    JobState,
    MailKind,
    Node,
    Topic,
    User,
    Webhook,
    WebhookDelivery,
)
from forumsvc.services import deployment, events, jobs, mails, search_reindex, webhooks
from forumsvc.services.event_consumers import consume
from tests.functional.doctor.conftest import Examine
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.rows import insert_row

NOW = clock.now()
HOUR = timedelta(hours=1)


@pytest.fixture
def topic(database: Database) -> int:
    """The id of an indexed topic, written just now."""
    with database.session.begin() as db:
        insert_row(db, User, id=1, login="Ann")
        insert_row(db, Node, id=1, name="n")
        values = {"user_id": 1, "node_id": 1, "markup_version": RENDERER_VERSION}
        found = insert_row(db, Topic, **values, last_active_at=NOW)
    search_reindex.reindex(database)
    return found


@pytest.fixture
def webhook(database: Database) -> int:
    """The id of a webhook."""
    with database.session.begin() as db:
        return webhooks.create(
            db,
            None,
            NOW,
            url="https://example.org/s3cret",
            events=["*"],
            node_ids=None,
            description="",
            most=9,
        )


def enqueue_mail(database: Database, ago: timedelta) -> None:
    with database.session.begin() as db:
        mails.enqueue(db, MailKind.PASSWORD_RESET, "ann@example.org", clock.now() - ago)


def test_events_that_wait_are_a_warning_after_five_minutes(
    examine: Examine, database: Database
) -> None:
    for ago in (2 * HOUR, timedelta(0)):
        with database.session.begin() as db:
            events.record(db, EventType.USER_CREATED, clock.now() - ago, actor_id=None)
    wait_for_horizon(database)
    with database.session.begin() as db:
        consume(db, "indexer", lambda db, batch: None, clock.now(), limit=0)
    assert (
        examine()
        .only("warning", "background")
        .startswith("Events that indexer has yet to read: 2, the oldest is 2 hours old.")
    )
    with database.session.begin() as db:
        consume(db, "indexer", lambda db, batch: None, clock.now(), limit=1)
    assert examine().faults == []


def test_jobs_that_wait_for_long_are_a_warning(examine: Examine, database: Database) -> None:
    enqueue_mail(database, timedelta(minutes=1))
    assert examine().faults == []
    enqueue_mail(database, HOUR)
    found = examine().only("warning", "jobs")
    assert found.startswith("Jobs of the kind mail that wait: 2, the oldest for 60 minutes. ")


def test_a_job_that_a_busy_webhook_uses_again_and_again_does_not_wait(
    examine: Examine, database: Database
) -> None:
    with database.session.begin() as db:
        jobs.enqueue(db, JobKind.DELIVER, clock.now() - 5 * HOUR, {}, 1)
    assert "Jobs of the kind deliver that wait: 1" in examine().only("warning", "jobs")
    with database.session.begin() as db:
        db.execute(update(Job).values(due_at=clock.now()))
    assert examine().faults == []


def test_jobs_that_were_given_up_are_a_warning(examine: Examine, database: Database) -> None:
    enqueue_mail(database, HOUR)
    with database.session.begin() as db:
        db.execute(update(Job).values(state=JobState.FAILED, finished_at=clock.now()))
    found = examine().only("warning", "jobs")
    assert found.startswith("Jobs of the kind mail that were given up: 1. ")


def test_a_webhook_that_fails_or_is_switched_off_is_a_warning_without_its_path(
    examine: Examine, database: Database, webhook: int
) -> None:
    def change(**values: object) -> None:
        with database.session.begin() as db:
            db.execute(update(Webhook).values(**values))

    change(failing_since=clock.now() - timedelta(minutes=10))
    assert examine().faults == []
    change(failing_since=clock.now() - 5 * HOUR)
    name = f"Webhook {webhook} (example.org)"
    assert examine().only("warning", "webhooks").startswith(f"{name} has failed for 5 hours: ")
    change(active=False, disabled_reason="it failed for three days")
    found = examine().only("warning", "webhooks")
    assert found.startswith(f"{name} was switched off: it failed for three days. Mend the receiver")
    change(disabled_reason=None)  # the admin did
    assert examine().faults == []


def test_deliveries_that_were_given_up_are_a_warning(
    examine: Examine, database: Database, webhook: int
) -> None:
    values = {"webhook_id": webhook, "state": DeliveryState.FAILED, "due_at": NOW}
    with database.session.begin() as db:
        db.execute(insert(WebhookDelivery).values(**values, created_at=NOW))
    found = examine().only("warning", "webhooks")
    assert found.startswith(f"Deliveries to webhook {webhook} given up in the last seven days: 1. ")


@pytest.mark.usefixtures("topic")
def test_an_incomplete_index_is_an_error_unless_nobody_searches(
    examine: Examine, database: Database
) -> None:
    assert examine().faults == []
    with database.session.begin() as db:
        search_reindex.mark_pending(db)
    found = examine().only("error", "search")
    assert "503" in found
    assert "search reindex" in found
    assert examine(search__open_to="off").faults == []


@pytest.mark.usefixtures("topic")
def test_a_post_that_is_not_indexed_is_a_warning_after_a_minute(
    examine: Examine, database: Database
) -> None:
    with database.session.begin() as db:
        values = {"user_id": 1, "node_id": 1, "markup_version": RENDERER_VERSION}
        late = insert_row(db, Topic, **values)
    assert examine().faults == []
    with database.session.begin() as db:
        past = {"updated_at": clock.now() - HOUR}
        db.execute(update(Topic).where(Topic.id == late).values(**past))
    found = examine().only("warning", "search")
    assert found.startswith("The index lacks 1 of the topics")


@pytest.mark.usefixtures("topic")
def test_outdated_texts_are_a_warning_and_unrendered_ones_worth_knowing(
    examine: Examine, database: Database
) -> None:
    with database.session.begin() as db:
        db.execute(update(Topic).values(markup_version=RENDERER_VERSION + 1))
    found = examine().only("warning", "texts")
    assert found.startswith("Texts rendered by another version: 1. ")
    assert "content rerender" in found
    with database.session.begin() as db:
        db.execute(update(Topic).values(markup_version=0))
    examined = examine()
    assert examined.faults == []
    assert examined.infos("texts")[0].startswith("Texts shown unrendered: 1. ")


def test_a_copy_that_sends_nothing_is_named(database: Database, examine: Examine) -> None:
    with database.session.begin() as db:
        deployment.mark_as_copy(db, NOW)
    [(level, _, message)] = examine().faults
    assert level == "warning"
    assert "needs `forumsvc db adopt`" in message
