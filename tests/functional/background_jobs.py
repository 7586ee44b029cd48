"""The jobs that are always there, for tests: periodic work at once, and a worker that is alive."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.background.maintenance import periodic_work
from forumsvc.background.periodic import Periodic
from forumsvc.background.tasks import create_host_report
from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind
from forumsvc.services import event_consumers, jobs
from forumsvc.web.registry import ForumRegistry
from tests.functional.forum import Forum


def periodic_works(forum: Forum) -> dict[str, Periodic]:
    """Return the periodic work of a forum by name."""
    registry = forum.application.registry
    services = (registry.photo_storages, registry.authoring, registry.forum_settings)
    return {work.name: work for work in periodic_work(forum.database, *services)}


def do_periodic_work(forum: Forum) -> None:
    """Do all of it, which the background worker does piece by piece."""
    for work in periodic_works(forum).values():
        for _ in work.run():
            pass


def let_worker_live(database: Database, seconds: float) -> None:
    """Let a background worker have renewed its lock so that it ends in so many seconds."""
    now = clock.now()
    values = {"locked_until": now + timedelta(seconds=seconds), "due_at": now - timedelta(days=1)}
    with database.session.begin() as db:
        jobs.insert_standing(db, JobKind.CONSUME, now, ["test"])
        job = update(Job).where(Job.kind == JobKind.CONSUME)
        db.execute(job.values(**values, data={"process": "forum-1-4711"}))


def let_worker_live_long(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a background worker live for an hour: a command may outlast a lock on a busy machine."""
    hour = timedelta(hours=1)
    monkeypatch.setattr(event_consumers, "LOCK", hour)
    let_worker_live(database, hour.total_seconds())


def report_host(registry: ForumRegistry, ini_dir: Path) -> None:
    """Write down the host of an application, as its worker does. ini_dir: of its ini file."""
    settings, build = registry.forum_settings, registry.build_fingerprint
    create_host_report(registry.database, settings, build, ini_dir).run()
