"""The schedule of the background worker: deletes what has expired, and closes accounts."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..db.execution import SqlConnection
from ..db.expired_rows import BATCH_SIZE, ExpiredRows, delete_batch
from ..db.failures import is_temporary
from ..errors import single_line_message
from ..models import AuditRecord, Review
from ..oauth import tokens
from ..services import (
    backups,
    closures,
    data_export_requests,
    events,
    hosts,
    idempotency,
    jobs,
    purge,
    unconfirmed_accounts,
    webhook_deliveries,
)
from ..services.access import post_networks
from ..services.moderation import audit_log, reviews
from ..services.photo_storage import PhotoStorages
from ..settings import Settings
from .one_by_one import OneByOne

log = logging.getLogger(__name__)

_EVERY_SECONDS = 600.0
_PURGE = "posts.purge_deleted_days"
_LOG, _REVIEWS = "moderation.keep_log_days", "moderation.keep_reviews_days"


class Maintenance:
    """Deletes expired rows and ends accounts, unconfirmed or closed ones, every ten minutes."""

    name = "maintenance"

    def __init__(self, database: Database, storages: PhotoStorages, settings: Settings) -> None:
        self._storages = storages
        self.interval = settings["worker.interval_seconds"]
        self._database = database
        self._expired = expired_rows(settings)
        self._keep_log = _keep(settings, _LOG)
        self._keep_reviews = _keep(settings, _REVIEWS)
        self._keep_deleted = _keep(settings, _PURGE)
        self._keep_unconfirmed = unconfirmed_accounts.keep(settings)
        self._secret = settings["session.secret"]
        self._due_at = 0.0
        words = "the unconfirmed account of user %d is not deleted"
        self._unconfirmed = OneByOne(database, words, unconfirmed_accounts.BATCH_SIZE)
        words = "the account of user %d is not closed"
        self._closing = OneByOne(database, words, closures.BATCH_SIZE)
        words = "the file of the export %d is not removed"
        self._exports = OneByOne(database, words, data_export_requests.BATCH_SIZE)

    def run(self) -> bool:
        """Delete expired rows of each kind, if it is due; return whether there may be more."""
        if time.monotonic() < self._due_at:
            return False
        has_more = [self._run_part(part) for part in self._parts()]
        if not any(has_more):
            self._due_at = time.monotonic() + _EVERY_SECONDS
        return any(has_more)

    def _parts(self) -> Iterator[Callable[[], bool]]:
        """Yield the parts of the work; each returns whether there may be more."""
        database = self._database
        for each in self._expired:
            yield partial(_delete_some, database, each)
        yield self._end_unconfirmed
        yield lambda: _trim_log(database, self._keep_log) == BATCH_SIZE
        yield self._close_accounts
        yield self._remove_exports
        yield lambda: _delete_reviews(database, self._keep_reviews) > 0
        yield lambda: _purge_deleted(database, self._keep_deleted) > 0

    def _remove_exports(self) -> bool:
        """Remove exports of people's data whose time is over."""
        now = clock.now()
        return self._exports.run(
            lambda db, after: data_export_requests.due(db, now, after),
            lambda db, export: data_export_requests.remove(db, self._storages, export),
        )

    def _run_part(self, part: Callable[[], bool]) -> bool:
        """Do a part. One that fails is logged, and holds up no other."""
        try:
            return part()
        except Exception as error:
            if is_temporary(error):
                log.warning("a part is tried again later: %s", single_line_message(error))
            else:
                log.exception("a part of the maintenance has failed, and is tried again later")
            return False

    def _end_unconfirmed(self) -> bool:
        """Delete accounts that nobody has confirmed for so long."""
        if self._keep_unconfirmed is None:
            return False
        before = clock.now() - self._keep_unconfirmed
        return self._unconfirmed.run(
            lambda db, after: unconfirmed_accounts.due(db, before, after),
            lambda db, user: unconfirmed_accounts.end(db, before, user.id),
        )

    def _close_accounts(self) -> bool:
        """Erase people who closed their account and whose time is over."""
        now = clock.now()
        return self._closing.run(
            lambda db, after: closures.due(db, now, after),
            lambda db, user: closures.end(db, now, user, self._secret),
        )


def expired_rows(settings: Settings) -> list[ExpiredRows]:
    """Return all that may be deleted."""
    keep = timedelta(days=settings["events.keep_days"])
    return [
        *tokens.EXPIRED,
        idempotency.expired(timedelta(seconds=settings["idempotency.ttl_seconds"])),
        events.expired(keep),
        *jobs.expired(keep),
        backups.expired(),
        webhook_deliveries.expired(keep),
        hosts.expired(),
        post_networks.expired(_keep(settings, "moderation.keep_addresses_days")),
    ]


def _delete_some(database: Database, expired: ExpiredRows) -> bool:
    return delete_batch(database, expired, clock.now()) == BATCH_SIZE


def _keep(settings: Settings, name: str) -> timedelta | None:
    """Return the days of a setting as a length of time; None: for ever."""
    days = settings[name]
    return None if days is None else timedelta(days=days)


def _delete_reviews(database: Database, keep: timedelta | None) -> int:
    """Delete some of the reviews that were decided so long ago; return how many."""
    return _end(database, keep, reviews.has_due, reviews.delete_some)


def _purge_deleted(database: Database, keep: timedelta | None) -> int:
    """Delete the texts of some of the posts that were deleted so long ago; return how many."""
    return _end(database, keep, purge.has_due, purge.purge_some)


def _trim_log(database: Database, keep: timedelta | None) -> int:
    """Delete some of what is older in the log of moderation, which says so; return how many.

    Nothing as a role that may only add to the log: `forumsvc token purge` does it as the owner.
    """
    if keep is None:
        return 0
    with database.session.begin() as db:
        if not audit_log.may_delete(db):
            return 0
        audit_log.trim(db, clock.now(), keep)
    return delete_batch(database, audit_log.trimmed(keep), clock.now())


def _end(
    database: Database,
    keep: timedelta | None,
    has_due: Callable[[SqlConnection, datetime], bool],
    end: Callable[[Session, datetime], int],
) -> int:
    """Call `end` if there is something to do, which is looked up without a lock."""
    if keep is None:
        return 0
    before = clock.now() - keep
    with database.reads.connect() as connection:
        if not has_due(connection, before):
            return 0
    with database.session.begin() as db:
        return end(db, before)


def delete_all_expired(database: Database, settings: Settings) -> Counter[str]:
    """Delete everything that has expired; return the number of rows by table."""
    counts: Counter[str] = Counter()
    for expired in expired_rows(settings):
        deleted = BATCH_SIZE
        while deleted == BATCH_SIZE:
            deleted = delete_batch(database, expired, clock.now())
            counts[expired.model.__tablename__] += deleted
    while deleted := _trim_log(database, _keep(settings, _LOG)):
        counts[AuditRecord.__tablename__] += deleted
    while deleted := _delete_reviews(database, _keep(settings, _REVIEWS)):
        counts[Review.__tablename__] += deleted
    return counts
