"""What the background worker does again and again: `periodic_work` declares each piece."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..db.execution import SqlConnection
from ..db.expired_rows import BATCH_SIZE, ExpiredRows, delete_batch
from ..models import AuditRecord, Review
from ..oauth import tokens
from ..services import backups, events, hosts, idempotency, jobs
from ..services.access import post_networks
from ..services.accounts import closures, data_export_requests, unconfirmed_accounts
from ..services.moderation import audit_log, restrictions, reviews
from ..services.notifications import devices, digests, notification_mails
from ..services.photos.storage import PhotoStorages
from ..services.posts import drafts, post_versions, purge
from ..services.posts.authoring import Authoring
from ..services.webhooks import webhook_deliveries
from ..settings import Settings
from .backups import enqueue_backup
from .periodic import Parts, Periodic, one_by_one
from .rerenderer import rerender

_OFTEN = timedelta(seconds=30)
_RARELY = timedelta(minutes=10)


def periodic_work(
    database: Database, storages: PhotoStorages, authoring: Authoring, settings: Settings
) -> list[Periodic]:
    """Return all periodic work of a forum with these settings."""
    secret = settings["session.secret"]
    do_each = partial(one_by_one, database)
    work = [
        Periodic(f"expired-{table.replace('_', '-')}", _RARELY, delete)
        for table, delete in _deletions(database, settings).items()
    ]
    work += [
        Periodic(
            "silences",
            _OFTEN,
            lambda: do_each(
                "the silence of user %d has ended, and is not tidied up",
                restrictions.due,
                lambda db, now, user: restrictions.end_expired(db, now, user.id),
            ),
        ),
        Periodic(
            "closures",
            _RARELY,
            lambda: do_each(
                "the account of user %d is not closed",
                closures.due,
                lambda db, now, user: closures.end(db, now, user, secret),
            ),
        ),
        Periodic(
            "exports",
            _RARELY,
            lambda: do_each(
                "the file of the export %d is not removed",
                data_export_requests.due,
                lambda db, now, export: data_export_requests.remove(db, storages, export),
            ),
        ),
        Periodic("rerendering", _RARELY, lambda: rerender(database, authoring, settings)),
    ]
    if (keep := unconfirmed_accounts.keep(settings)) is not None:
        work.append(
            Periodic(
                "unconfirmed-accounts",
                _RARELY,
                lambda: do_each(
                    "the unconfirmed account of user %d is not deleted",
                    lambda db, now, last_id: unconfirmed_accounts.due(db, now - keep, last_id),
                    lambda db, now, user: unconfirmed_accounts.end(db, now - keep, user.id),
                ),
            )
        )
    if (keep_deleted := _keep(settings, "posts.purge_deleted_days")) is not None:
        purging = partial(_in_batches, database, keep_deleted, purge.has_due, purge.purge_some)
        work.append(Periodic("deleted-posts", _RARELY, purging))
    work += [
        Periodic("notification-mails", _OFTEN, partial(_notification_mails, database, settings)),
        Periodic("digests", _OFTEN, partial(_digests, database, settings)),
        Periodic("mails-again", _RARELY, partial(_look_again, database)),
    ]
    if settings["backup.every_hours"]:
        work.append(Periodic("backup-plan", _OFTEN, lambda: enqueue_backup(database, settings)))
    return work


def delete_all_expired(database: Database, settings: Settings) -> Counter[str]:
    """Delete everything that has expired; return the number of rows by table."""
    return Counter({table: sum(run()) for table, run in _deletions(database, settings).items()})


def _deletions(database: Database, settings: Settings) -> Mapping[str, Callable[[], Parts]]:
    """Return by table what deletes its expired rows."""
    by_table: dict[str, list[ExpiredRows]] = defaultdict(list)
    for expired in expired_rows(settings):
        by_table[expired.model.__tablename__].append(expired)
    deletions = {table: partial(_delete, database, rows) for table, rows in by_table.items()}
    if (keep := _keep(settings, "moderation.keep_log_days")) is not None:
        deletions[AuditRecord.__tablename__] = partial(_trim_log, database, keep)
    if (keep := _keep(settings, "moderation.keep_reviews_days")) is not None:
        deletions[Review.__tablename__] = partial(
            _in_batches, database, keep, reviews.has_due, reviews.delete_some
        )
    return deletions


def expired_rows(settings: Settings) -> list[ExpiredRows]:
    """Return all that may be deleted."""
    keep = timedelta(days=settings["events.keep_days"])
    keep_versions = timedelta(days=settings["posts.versions_days"])
    return [
        *tokens.EXPIRED,
        idempotency.expired(timedelta(seconds=settings["idempotency.ttl_seconds"])),
        events.expired(keep),
        *jobs.expired(keep),
        backups.expired(),
        webhook_deliveries.expired(keep),
        hosts.expired(),
        devices.expired(),
        drafts.expired(),
        post_networks.expired(_keep(settings, "moderation.keep_addresses_days")),
        *([post_versions.expired(keep_versions)] if keep_versions else []),
    ]


def _keep(settings: Settings, name: str) -> timedelta | None:
    """Return the days of a setting as a length of time; None: for ever."""
    days = settings[name]
    return None if days is None else timedelta(days=days)


def _delete(database: Database, expired: Sequence[ExpiredRows]) -> Parts:
    for rows in expired:
        deleted = BATCH_SIZE
        while deleted == BATCH_SIZE:
            deleted = delete_batch(database, rows, clock.now())
            yield deleted


def _trim_log(database: Database, keep: timedelta) -> Parts:
    """Delete what is older in the log of moderation, which says so.

    Nothing as a role that may only add to the log: `forumsvc token purge` does it as the owner.
    """
    with database.session.begin() as db:
        if not audit_log.may_delete(db):
            return
        audit_log.trim(db, clock.now(), keep)
    yield from _delete(database, [audit_log.trimmed(keep)])


def _notification_mails(database: Database, settings: Settings) -> Parts:
    """Make jobs of the emails about what happened that are due; without a server forget all."""
    sends_mail = settings["mail.delivery"] != "none"
    allow_instant = settings["mail.allow_instant"]
    number = notification_mails.BATCH_SIZE
    while number == notification_mails.BATCH_SIZE:
        with database.session.begin() as db:
            if sends_mail:
                now = clock.now()
                number = notification_mails.enqueue_due(db, now, allow_instant=allow_instant)
            else:
                number = notification_mails.drop(db)
        yield number


def _digests(database: Database, settings: Settings) -> Parts:
    """Make jobs of the digests that are due."""
    number = digests.BATCH_SIZE
    while number == digests.BATCH_SIZE:
        with database.session.begin() as db:
            sends_mail = settings["mail.delivery"] != "none"
            number = digests.enqueue_due(db, clock.now(), sends_mail=sends_mail)
        yield number


def _look_again(database: Database) -> Parts:
    """Tell once more of topics that somebody has not read since an email."""
    for change in (notification_mails.drop_useless, notification_mails.look_again):
        number = notification_mails.BATCH_SIZE
        while number == notification_mails.BATCH_SIZE:
            with database.session.begin() as db:
                number = change(db, clock.now())
            yield number


def _in_batches(
    database: Database,
    keep: timedelta,
    has_due: Callable[[SqlConnection, datetime], bool],
    end: Callable[[Session, datetime], int],
) -> Parts:
    """Call `end` while there is something to do, which is looked up without a lock."""
    number = 1
    while number:
        before = clock.now() - keep
        with database.reads.connect() as connection:
            if not has_due(connection, before):
                return
        with database.session.begin() as db:
            number = end(db, before)
        yield number
