"""Backups by the plan of the settings: when one is due, and what is done for a job `backup`.

The backup is made by `forumsvc backup` in a process of its own, of low priority, so that no other
job of this one is slower for it.
"""

import json
import logging
import os
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from .. import clock
from ..db.engine import Database
from ..models import JobKind
from ..services import backups, deployment, jobs
from ..services.jobs import Claimed
from ..settings import Settings, SettingsError
from .job_runner import Handler, JobFailed
from .periodic import Parts

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.5
_BUSY_MINUTES = 5
_NICENESS = 10
_MOST_NAMES = 5
_LONGEST = 0.9
"""Which part of the job's lock a backup may take: then another process may begin with one."""


def enqueue_backup(database: Database, settings: Settings) -> Parts:
    """Insert a job if a backup is due; not for a copy of a forum, which may share its folder."""
    now, every = clock.now(), timedelta(hours=settings["backup.every_hours"])
    with database.reads.connect() as db:
        is_copy = deployment.why_it_sends_nothing(db, settings["site.url"]) is not None
        is_due = not is_copy and backups.is_due(db, now, every)
    if is_due:
        with database.session.begin() as db:
            jobs.enqueue(db, JobKind.BACKUP, now, {})
        yield 1


class BackupMaker(Handler):
    """Makes a backup. One that fails or takes too long is tried again when the plan says so.

    If the process dies, another takes the job over when the next backup is due.
    """

    kind = JobKind.BACKUP
    pauses = ()

    def __init__(self, database: Database, settings: Settings, ini: Path) -> None:
        """ini: the ini file, for the command. Raises SettingsError without a folder."""
        if not settings["backup.dir"]:
            raise SettingsError("backup.dir: missing; backup.every_hours needs a folder")
        self._database = database
        self._ini = ini.absolute()
        self._folder = self._ini.parent / settings["backup.dir"]
        self._keep: int = settings["backup.keep"]
        self.lock = timedelta(hours=settings["backup.every_hours"])

    def run(self, job: Claimed) -> None:
        """Make it, unless one was made since.

        Later, if this process is to stop meanwhile, somebody makes one by hand now, or the database
        was away.
        """
        with self._database.reads.connect() as db:
            made_at = backups.last_made_at(db)
        if made_at is None or made_at < job.created_at:
            again_at = self._make(clock.now())
            if again_at is not None:
                with self._database.session.begin() as db:
                    jobs.release_untried(db, job, again_at)
                return
        with self._database.session.begin() as db:
            if jobs.hold(db, job):
                jobs.finish(db, job, clock.now())
                backups.forget_failures(db)

    def _make(self, now: datetime) -> datetime | None:
        """Return None if it was made, else when to try again. Raises JobFailed."""
        file = self._folder / now.strftime("forum-%Y-%m-%dT%H-%M-%SZ.tar")
        deadline = time.monotonic() + self.lock.total_seconds() * _LONGEST
        words = ["-c", self._ini, "backup", file, "--keep", str(self._keep), "--json"]
        with subprocess.Popen(  # noqa: S603 - words of ours and of the ini file
            [sys.executable, "-m", "forumsvc.cli", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
            is_late = False
            while True:
                try:
                    result, text = process.communicate(timeout=_POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    is_late = time.monotonic() > deadline
                    if is_late or self.stopping.is_set():
                        process.kill()
        if process.returncode == 0:
            _log_made(file, json.loads(result)["lost"])
            return None
        if self.stopping.is_set():
            return now
        if is_late:
            hours = self.lock.total_seconds() * _LONGEST / 3600
            raise JobFailed(f"the backup took longer than {hours:.1f} hours", is_final=True)
        lines = text.decode(errors="replace").strip().splitlines() or [f"{process.returncode}"]
        why = lines[-1].removeprefix("Error: ").removesuffix(".")
        if process.returncode == backups.BUSY:
            log.warning("The backup is tried again in %d minutes: %s", _BUSY_MINUTES, why)
            return clock.now() + timedelta(minutes=_BUSY_MINUTES)
        raise JobFailed(why, is_final=True)


def _log_made(file: Path, lost: list[str]) -> None:
    """lost: the names of photos that have a row and no whole file."""
    log.info("The backup %s is whole and verified", file)
    if lost:
        log.warning(
            "The backup %s lacks photos, whose files are missing or damaged: %d (%s). forumsvc "
            "photos check lists them",
            *(file, len(lost), ", ".join(lost[:_MOST_NAMES])),
        )
