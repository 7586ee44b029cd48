"""What the background worker of a forum does: each kind of job has a handler."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..mail import Delivery
from ..queries.rows import EventRow
from ..services import hosts
from ..services.photos.storage import PhotoStorages
from ..services.posts.authoring import Authoring
from ..services.webhooks import webhook_fan_out
from ..settings import Settings
from . import maintenance
from .account_worker import AccountWorker
from .backups import BackupMaker
from .data_exporter import DataExporter
from .event_consumer import EventConsumer, EventReader, FailedEvents
from .follower_notifier import FollowerNotifier
from .host_report import HostReport
from .job_runner import Handler, JobRunner
from .mail_sender import MailSender
from .notification_mailer import NotificationMailer
from .periodic import PeriodicJobs
from .place_backfiller import PlaceBackfiller
from .search_indexer import SearchIndexer, TopicIndexer
from .sweeper import Sweeper
from .webhook_sender import WebhookSender

_FAN_OUT_BATCH = 100
"""Events per transaction: each makes a row for each of up to `webhooks.most` webhooks."""


def create_job_runner(
    database: Database,
    settings: Settings,
    storages: PhotoStorages,
    authoring: Authoring,
    *,
    webhook_sender: WebhookSender,
    consumers: Sequence[EventConsumer],
    delivery: Delivery | None,
    ini: Path | None,
) -> JobRunner:
    """Return what does the jobs of a forum.

    consumers: of `create_consumers`; delivery: of emails, None if the service sends none; ini: the
    ini file, None without one, which backups need. Raises SettingsError.
    """
    interval = settings["worker.interval_seconds"]
    periodic = maintenance.periodic_work(database, storages, authoring, settings)
    handlers: list[Handler] = [
        EventReader(database, consumers, interval),
        FailedEvents(database, consumers),
        *(FollowerNotifier(database), TopicIndexer(database), Sweeper(database)),
        AccountWorker(database, storages, settings),
        *(DataExporter(database, storages), PlaceBackfiller(database)),
        PeriodicJobs(database, periodic),
        webhook_sender,
    ]
    if delivery is not None:
        handlers.append(MailSender(database, settings, delivery))
        handlers.append(NotificationMailer(database, settings, delivery))
    if ini is not None and settings["backup.every_hours"]:
        handlers.append(BackupMaker(database, settings, ini))
    return JobRunner(database, handlers, interval)


def create_consumers(database: Database) -> tuple[EventConsumer, EventConsumer]:
    """Return the consumers of events: for webhooks, and for the index of the search."""
    fan_out = EventConsumer(database, "webhook-fan-out", _fan_out, _FAN_OUT_BATCH)
    return fan_out, SearchIndexer(database)


def create_host_report(
    database: Database, settings: Settings, build_fingerprint: bytes, ini_dir: Path
) -> HostReport:
    """Return what writes down this host. ini_dir: the folder of the ini file."""
    facts = hosts.facts(settings, ini_dir, build_fingerprint)
    shown = {
        setting.name: text for setting, text, is_default in settings.displayed() if not is_default
    }
    return HostReport(database, facts, settings["session.secret"], shown)


def _fan_out(db: Session, events: Sequence[EventRow]) -> None:
    webhook_fan_out.fan_out(db, events, clock.now())
