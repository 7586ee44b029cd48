"""Backups by the plan, in the real background worker."""

import os
import signal
import stat
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select

from forumsvc.db.engine import Database
from forumsvc.models import Job, LastBackup
from tests.databases import on_sqlite
from tests.system.forum_process import prepare, serving
from tests.system.process import PATIENCE, alive, children, wait_until


def failed_jobs(database: Database) -> list[str]:
    with database.reads.connect() as db:
        return [str(one) for one in db.scalars(select(Job.error).where(Job.state == "failed"))]


def last_backup(database: Database) -> str | None:
    with database.reads.connect() as db:
        return db.scalar(select(LastBackup.file))


@on_sqlite
def test_the_worker_makes_backups_and_says_why_it_cannot(database_url, database, tmp_path):
    plan: dict[str, Any] = {"backup__every_hours": 24, "backup__dir": "backups"}
    prepare(database_url, database, tmp_path)
    with serving(tmp_path, database_url, **plan) as server:
        wait_until(partial(failed_jobs, database), "a backup that fails without its folder")
        assert "cannot be written" in failed_jobs(database)[0]
        (tmp_path / "backups").mkdir()
        with database.session.begin() as db:
            db.execute(delete(Job))
        os.killpg(server.process.pid, signal.SIGTERM)
        server.process.wait()
    assert "backup job" in (tmp_path / "output").read_text()
    with serving(tmp_path, database_url, **plan) as server:
        wait_until(partial(backup_process, server.process.pid), "a backup that runs")
        backup = backup_process(server.process.pid)
        os.kill(backup, signal.SIGSTOP)  # so that it cannot end by itself
        os.kill(server.process.pid, signal.SIGTERM)
        server.process.wait(PATIENCE)
        assert not alive(backup)
        assert jobs_left(database) == 1
        assert last_backup(database) is None
    with serving(tmp_path, database_url, **plan) as server:
        wait_until(partial(last_backup, database), "a backup")
        wait_until(lambda: not jobs_left(database), "the end of its job")
        assert server.process.poll() is None
    [made] = (tmp_path / "backups").glob("forum-*.tar")
    assert str(made) == last_backup(database)
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert children(server.process.pid) == []


def jobs_left(database: Database) -> int:
    with database.reads.connect() as db:
        return len(db.scalars(select(Job.id).where(Job.kind == "backup")).all())


def backup_process(pid: int) -> int:
    """Return the process of the backup among the descendants of a server, 0 without one."""
    for child in children(pid):
        try:
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        except FileNotFoundError:
            continue
        if b"--keep" in words:
            return child
        if found := backup_process(child):
            return found
    return 0
