"""The schedule of the background worker: deletes what has expired, and closes accounts."""

import logging
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..db.execution import SqlConnection
from ..db.expired_rows import BATCH_SIZE, ExpiredRows, delete_batch
from ..db.failures import is_temporary
from ..errors import Conflict
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
from ..settings import Settings

log = logging.getLogger(__name__)

_EVERY_SECONDS = 600.0
_PURGE = "posts.purge_deleted_days"
_LOG, _REVIEWS = "moderation.keep_log_days", "moderation.keep_reviews_days"


class Maintenance:
    """Deletes expired rows and ends accounts, unconfirmed or closed ones, every ten minutes."""

    name = "maintenance"

    def __init__(self, database: Database, settings: Settings) -> None:
        self.interval = settings["worker.interval_seconds"]
        self._database = database
        self._expired = expired_rows(settings)
        self._keep_log = _keep(settings, _LOG)
        self._keep_reviews = _keep(settings, _REVIEWS)
        self._keep_deleted = _keep(settings, _PURGE)
        self._keep_unconfirmed = unconfirmed_accounts.keep(settings)
        self._secret = settings["session.secret"]
        self._due_at = 0.0

    def run(self) -> bool:
        """Delete expired rows of each kind, if it is due; return whether there may be more."""
        if time.monotonic() < self._due_at:
            return False
        deleted = [delete_batch(self._database, each, clock.now()) for each in self._expired]
        has_more = BATCH_SIZE in deleted
        has_more |= _end_unconfirmed(self._database, self._keep_unconfirmed)
        has_more |= _trim_log(self._database, self._keep_log) == BATCH_SIZE
        has_more |= _close_accounts(self._database, self._secret)
        has_more |= _delete_reviews(self._database, self._keep_reviews) > 0
        has_more |= _purge_deleted(self._database, self._keep_deleted) > 0
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
        backups.expired(),
        webhook_deliveries.expired(keep),
        *data_export_requests.expired(),
        hosts.expired(),
        post_networks.expired(_keep(settings, "moderation.keep_addresses_days")),
    ]


def _keep(settings: Settings, name: str) -> timedelta | None:
    """Return the days of a setting as a length of time; None: for ever."""
    days = settings[name]
    return None if days is None else timedelta(days=days)


def _delete_reviews(database: Database, keep: timedelta | None) -> int:
    """Delete some of the reviews that were decided so long ago; return how many."""
    return _end(database, keep, reviews.is_any_over, reviews.delete_some)


def _purge_deleted(database: Database, keep: timedelta | None) -> int:
    """Delete the texts of some of the posts that were deleted so long ago; return how many."""
    return _end(database, keep, purge.is_any_over, purge.purge_some)


def _end_unconfirmed(database: Database, keep: timedelta | None) -> bool:
    """Delete accounts that nobody has confirmed for so long; return whether there are more."""
    if keep is None:
        return False
    before = clock.now() - keep
    with database.reads.connect() as connection:
        ids = unconfirmed_accounts.over(connection, before)
    ended = 0
    for user_id in ids:
        try:
            with suppress(Conflict), database.session.begin() as db:
                unconfirmed_accounts.end(db, before, user_id)
                ended += 1
        except Exception as error:
            if is_temporary(error):
                raise
            log.exception("the unconfirmed account of user %d is not deleted", user_id)
    return ended == unconfirmed_accounts.BATCH_SIZE


def _close_accounts(database: Database, secret: str) -> bool:
    """Erase people who closed their account and whose time is over; return whether there are more.

    One who cannot be erased stops nobody else.
    """
    now, ended = clock.now(), 0
    with database.reads.connect() as connection:
        closing = closures.over(connection, now)
    for one in closing:
        try:
            with database.session.begin() as db:
                closures.end(db, now, one, secret)
            ended += 1
        except Conflict as error:
            log.warning("the account of user %d is not closed: %s", one.id, error)
        except Exception as error:
            if is_temporary(error):
                raise
            log.exception("the account of user %d is not closed", one.id)
    return ended == closures.BATCH_SIZE


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
