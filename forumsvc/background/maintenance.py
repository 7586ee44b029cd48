"""The schedule of the background worker: deletes what has expired."""

import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..db.execution import SqlConnection
from ..db.expired_rows import BATCH_SIZE, ExpiredRows, delete_batch
from ..models import Review
from ..oauth import tokens
from ..services import (
    events,
    hosts,
    idempotency,
    jobs,
    unconfirmed_accounts,
    webhook_deliveries,
)
from ..services.access import post_networks
from ..services.moderation import audit_log, old_reviews
from ..settings import Settings

_EVERY_SECONDS = 600.0


class Maintenance:
    """Deletes expired rows and ends unconfirmed accounts, every ten minutes."""

    name = "maintenance"

    def __init__(self, database: Database, settings: Settings) -> None:
        self.interval = settings["worker.interval_seconds"]
        self._database = database
        self._expired = expired_rows(settings)
        self._keep_log = keep_log(settings)
        self._keep_reviews = keep_reviews(settings)
        self._keep_unconfirmed = unconfirmed_accounts.keep(settings)
        self._due_at = 0.0

    def run(self) -> bool:
        """Delete expired rows of each kind, if it is due; return whether there may be more."""
        if time.monotonic() < self._due_at:
            return False
        trim_log(self._database, self._keep_log)
        deleted = [delete_batch(self._database, each, clock.now()) for each in self._expired]
        ended = end_unconfirmed(self._database, self._keep_unconfirmed)
        has_more = BATCH_SIZE in deleted or ended == unconfirmed_accounts.BATCH_SIZE
        has_more |= delete_reviews(self._database, self._keep_reviews) > 0
        if not has_more:
            self._due_at = time.monotonic() + _EVERY_SECONDS
        return has_more


def expired_rows(settings: Settings) -> list[ExpiredRows]:
    """Return all that may be deleted."""
    keep = timedelta(days=settings["events.keep_days"])
    return [
        *tokens.EXPIRED,
        idempotency.expired(timedelta(seconds=settings["idempotency.ttl_seconds"])),
        events.expired(keep),
        *jobs.expired(keep),
        webhook_deliveries.expired(keep),
        hosts.expired(),
        audit_log.trimmed(),
        post_networks.expired(keep_addresses(settings)),
    ]


def keep_addresses(settings: Settings) -> timedelta | None:
    """Return for how long the networks of authors are kept; None: not at all."""
    days = settings["moderation.keep_addresses_days"]
    return None if days is None else timedelta(days=days)


def keep_log(settings: Settings) -> timedelta | None:
    """Return for how long the log of moderation is kept; None: for ever."""
    days = settings["moderation.keep_log_days"]
    return None if days is None else timedelta(days=days)


def keep_reviews(settings: Settings) -> timedelta | None:
    """Return for how long reviews are kept after their decision; None: for ever."""
    days = settings["moderation.keep_reviews_days"]
    return None if days is None else timedelta(days=days)


def delete_reviews(database: Database, keep: timedelta | None) -> int:
    """Delete some of the reviews that were decided so long ago; return how many."""
    return _end(database, keep, old_reviews.is_any_over, old_reviews.delete_some)


def trim_log(database: Database, keep: timedelta | None) -> None:
    """Allow the deletion of what is older in the log of moderation, which says so."""
    if keep is not None:
        with database.session.begin() as db:
            audit_log.trim(db, clock.now(), keep)


def end_unconfirmed(database: Database, keep: timedelta | None) -> int:
    """End some of the accounts that nobody has confirmed for so long; return how many."""
    return _end(database, keep, unconfirmed_accounts.is_any_over, unconfirmed_accounts.end)


def _end(
    database: Database,
    keep: timedelta | None,
    is_any_over: Callable[[SqlConnection, datetime], bool],
    end: Callable[[Session, datetime], int],
) -> int:
    """Call `end` if there is something to do, which is looked up without a lock."""
    if keep is None:
        return 0
    before = clock.now() - keep
    with database.reads.connect() as connection:
        if not is_any_over(connection, before):
            return 0
    with database.session.begin() as db:
        return end(db, before)


def delete_all_expired(database: Database, settings: Settings) -> Counter[str]:
    """Delete everything that has expired; return the number of rows by table."""
    trim_log(database, keep_log(settings))
    counts: Counter[str] = Counter()
    for expired in expired_rows(settings):
        deleted = BATCH_SIZE
        while deleted == BATCH_SIZE:
            deleted = delete_batch(database, expired, clock.now())
            counts[expired.model.__tablename__] += deleted
    while deleted := delete_reviews(database, keep_reviews(settings)):
        counts[Review.__tablename__] += deleted
    return counts
