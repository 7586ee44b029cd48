"""What a soak leaves behind: whether the worker did all, and whether everything is right."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from benchmarks.servers import forumsvc
from forumsvc.db.engine import Database
from forumsvc.models import DeliveryState, EventPosition, Job, JobKind, JobState, WebhookDelivery
from forumsvc.queries import events
from tests.system.webhook_receiver import Received

LONGEST = 1_800.0
"""Seconds that the worker may take for what is left to do."""
_POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Aftermath:
    """What is not right when all is done: how many counters, documents, deliveries and jobs.

    unread_consumers: of events, which have not read all.
    """

    wrong_counters: int
    wrong_documents: int
    lost_deliveries: int
    failed_jobs: int
    unread_consumers: int


def inspect(ini: Path, database: Database, received: Received) -> Aftermath:
    """Find what is not right. received: by all webhooks."""
    return Aftermath(
        forumsvc(ini, "db", "check", refused=True)["wrong"],
        forumsvc(ini, "search", "check", refused=True)["wrong"],
        count_deliveries(database) - sum(map(len, received.times.values())),
        _count(database, Job.state == JobState.FAILED),
        len(_unread(database)),
    )


def wait_for_worker(database: Database) -> float:
    """Wait until the background worker has nothing left to do, or LONGEST; return the seconds."""
    began = time.monotonic()
    while time.monotonic() - began < LONGEST and (
        _unread(database)
        or _count(database, WebhookDelivery.state == DeliveryState.WAITING)
        or _count(
            database,
            Job.state == JobState.WAITING,
            Job.kind.in_((JobKind.NOTIFY, JobKind.INDEX_TOPIC)),
        )
    ):
        time.sleep(_POLL_SECONDS)
    return time.monotonic() - began


def count_deliveries(database: Database) -> int:
    """Return how many deliveries there are, by all webhooks."""
    return _count(database, WebhookDelivery.id.is_not(None))


def _unread(database: Database) -> list[str]:
    """Return the consumers that have not read all events."""
    with database.reads.connect() as db:
        consumers = db.scalars(select(EventPosition.consumer)).all()
    return [one for one in consumers if events.oldest_unread_at(database.executor, one)]


def _count(database: Database, *conditions: Any) -> int:
    with database.reads.connect() as db:
        return db.scalar(select(func.count()).where(*conditions)) or 0
