"""The tasks of the background worker of a forum."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..mail import Delivery
from ..queries.rows import EventRow
from ..registry import ForumRegistry
from ..services import hosts, webhook_fan_out
from .account_worker import AccountWorker
from .backups import BackupMaker, BackupPlan
from .data_exporter import DataExporter
from .event_consumer import EventConsumer, FailedEvents
from .follower_notifier import FollowerNotifier
from .host_report import HostReport
from .job_runner import Handler, JobRunner
from .mail_sender import MailSender
from .maintenance import Maintenance
from .rerenderer import Rerenderer
from .search_indexer import SearchIndexer, TopicIndexer
from .sweeper import Sweeper
from .worker import Task

_FAN_OUT_BATCH = 100
"""Events per transaction: each makes a row for each of up to `webhooks.most` webhooks."""


def create_tasks(registry: ForumRegistry, ini_dir: Path) -> list[Task]:
    """Return the tasks for an application whose services are configured.

    ini_dir: the folder of the ini file.
    """
    settings = registry.forum_settings
    fan_out, search_indexer = create_consumers(
        registry.database, settings["worker.interval_seconds"]
    )
    maintenance = Maintenance(registry.database, registry.photo_storages, settings)
    facts = hosts.facts(settings, ini_dir, registry.build_fingerprint)
    shown = {
        setting.name: text for setting, text, is_default in settings.displayed() if not is_default
    }
    host_report = HostReport(registry.database, facts, settings["session.secret"], shown)
    rerenderer = Rerenderer(registry.database, registry.authoring, settings)
    tasks: list[Task] = [
        *(maintenance, registry.job_runner, fan_out, search_indexer),
        *(registry.silence_ender, host_report, rerenderer),
    ]
    if settings["backup.every_hours"]:
        tasks.append(BackupPlan(registry.database, settings))
    return tasks


def create_job_runner(
    registry: ForumRegistry, delivery: Delivery | None, ini: Path | None
) -> JobRunner:
    """Return the task that does the jobs.

    delivery: of emails, None if the service sends none; ini: the ini file, None without one, which
    backups need. Raises SettingsError.
    """
    database, settings = registry.database, registry.forum_settings
    interval = settings["worker.interval_seconds"]
    handlers: list[Handler] = [
        FailedEvents(database, create_consumers(database, interval)),
        *(FollowerNotifier(database), TopicIndexer(database), Sweeper(database)),
        AccountWorker(database, registry.photo_storages, settings),
        DataExporter(database, registry.photo_storages),
        registry.webhook_sender,
    ]
    if delivery is not None:
        handlers.append(MailSender(database, settings, delivery))
    if ini is not None and settings["backup.every_hours"]:
        handlers.append(BackupMaker(database, settings, ini))
    return JobRunner(database, handlers, interval)


def create_consumers(database: Database, interval: float) -> tuple[EventConsumer, EventConsumer]:
    """Return the tasks that read events. interval: seconds between two looks."""
    fan_out = EventConsumer(database, "webhook-fan-out", _fan_out, interval, _FAN_OUT_BATCH)
    return fan_out, SearchIndexer(database, interval)


def _fan_out(db: Session, events: Sequence[EventRow]) -> None:
    webhook_fan_out.fan_out(db, events, clock.now())
