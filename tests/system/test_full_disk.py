"""A disk that becomes full during an upload, and during a dump or a backup."""

import http.client
import io
import json
import random
import resource
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import func, select

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind, Photo
from tests.databases import on_sqlite
from tests.functional.forum import API
from tests.system.forum_process import prepare, serving
from tests.system.process import PATIENCE, prepare_child, wait_until
from tests.system.pserve import Pserve
from tests.system.test_backup import write_ini
from tests.system.test_backup_plan import failed_jobs

LARGEST_FILE = 3_000_000
"""No file that the service writes can be larger, which the system says as it does of a full disk:
by an error in the middle of a write."""


def small_disk() -> None:
    """Prepare a process that cannot write large files."""
    prepare_child()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def compact(database: Database) -> None:
    """Vacuum an SQLite file, which earlier tests have filled."""
    if database.is_sqlite:
        with closing(sqlite3.connect(str(database.url.database))) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def image(side: int) -> bytes:
    """Return a JPEG that is larger once it is stored: about 0.53 bytes a pixel, then 0.565."""
    out = io.BytesIO()
    Image.effect_noise((side, side), 90).save(out, "JPEG", progressive=True)
    return out.getvalue()


def upload(server: Pserve, token: str, data: bytes) -> tuple[int, dict[str, Any]]:
    edge = "edge"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    body = head.encode() + data + f"\r\n--{edge}--\r\n".encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": f"multipart/form-data; boundary={edge}",
        }
        connection.request("POST", f"{API}/photos", body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@on_sqlite
def test_an_upload_that_does_not_fit_leaves_neither_row_nor_file_and_the_next_one_does(
    database_url, database, tmp_path
):
    token = prepare(database_url, database, tmp_path).people[0].token or ""
    compact(database)
    with serving(tmp_path, database_url, prepare=small_disk) as server:
        status, error_output = upload(server, token, image(2330))
        assert (status, set(error_output)) == (503, {"error"}), server.log
        left = [path for path in (tmp_path / "var").rglob("*") if path.is_file()]
        assert [path for path in left if "photos" in path.parts] == []
        with database.reads.connect() as db:
            assert db.execute(select(func.count()).select_from(Photo)).scalar_one() == 0
        status, error_output = upload(server, token, image(50))
        assert (status, "image_url" in error_output) == (201, True)


@pytest.fixture
def large_forum(database: Database, database_url: str, tmp_path: Path) -> Path:
    """The ini file of a forum with a table that does not fit."""
    noise = random.Random(1)  # noqa: S311 - what cannot be compressed
    with database.session.begin() as db:
        for _ in range(60):
            values = {"due_at": clock.now() + timedelta(days=9), "created_at": clock.now()}
            text = noise.randbytes(50_000).hex()
            db.add(Job(kind=str(JobKind.MAIL), data={"text": text}, **values))
    return write_ini(tmp_path, database_url)


def run_on_small_disk(ini: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "forumsvc.cli", "-c", str(ini), *map(str, words)],
        preexec_fn=small_disk,
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
    )


@pytest.mark.both_databases
def test_a_dump_or_a_backup_that_does_not_fit_ends_with_an_error_and_leaves_nothing(
    large_forum, tmp_path
):
    folder = tmp_path / "backups"
    folder.mkdir()
    for words in (("dump", "--secrets", folder / "dump"), ("backup", folder / "b.tar")):
        run = run_on_small_disk(large_forum, *words)
        assert (run.returncode, run.stderr.count("cannot be written: File too large")) == (1, 1)
    left = [one.name for one in folder.iterdir()]
    assert [name for name in left if not name.endswith(".lock")] == []


@pytest.mark.both_databases
def test_a_planned_backup_that_does_not_fit_is_a_failed_job(
    large_forum, database, database_url, tmp_path
):
    plan: dict[str, Any] = {"backup__every_hours": 24, "backup__dir": "backups"}
    prepare(database_url, database, tmp_path)
    (tmp_path / "backups").mkdir()
    with serving(tmp_path, database_url, prepare=small_disk, **plan):
        wait_until(partial(failed_jobs, database), "a backup that fails")
    assert "cannot be written: File too large" in failed_jobs(database)[0]
    assert "backup job" in (tmp_path / "output").read_text()
