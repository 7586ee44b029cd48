"""Asking for one's own data: once a day, made once, for its owner alone, for a week."""

import io
import zipfile
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.background import mail_texts
from forumsvc.background.data_exporter import DataExporter
from forumsvc.media.local_storage import LocalStorage
from forumsvc.media.private_names import new_private_name
from forumsvc.models import DataExport, Job, JobKind, MailKind
from forumsvc.services import jobs
from forumsvc.services.accounts import accounts, data_export_requests
from forumsvc.services.accounts.data_export_requests import LOCK, ExportFile, ExportStopped
from forumsvc.services.photos.audit import BEING_UPLOADED, PhotoAudit
from tests.functional.background_jobs import do_periodic_work
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.functional.queued_mails import queued_mails
from tests.functional.threads import alone, together

pytestmark = pytest.mark.both_databases

EXPORT = "/users/me/export"
EMAIL = "alice@example.org"
PATH = "/settings/data"


def run_jobs(forum: Forum) -> int:
    """Make the files that are due; return how many attempts there were."""
    return forum.registry.job_runner.run_due(JobKind.EXPORT)


def make_export(forum: Forum, person: Person) -> None:
    person.post(EXPORT)
    run_jobs(forum)


def claim(forum: Forum, **lock: float) -> Any:
    """Claim the job, as a worker does. lock: how long, as a length of time."""
    with forum.database.session.begin() as db:
        return jobs.claim(db, JobKind.EXPORT, clock.now(), timedelta(**lock))


@pytest.fixture
def forum(make_forum: MakeForum, tmp_path: Path) -> Forum:
    """A forum with a folder of photos of its own."""
    return make_forum(photos__dir=str(tmp_path / "photos"), mail__delivery="folder")


def export_file(forum: Forum, job: Any) -> ExportFile:
    return ExportFile(forum.database, forum.registry.photo_storages, job)


def files(forum: Forum) -> list[Path]:
    """Return the files of exports that are stored."""
    storage = forum.registry.photo_storages.current
    assert isinstance(storage, LocalStorage)
    return [*storage._folder.glob("private/*")]


def test_a_person_asks_waits_and_downloads_all_of_it(forum, alice):
    forum.topic(alice, forum.node())
    forum.change(alice.id, email=EMAIL, email_key=EMAIL, email_confirmed_at=clock.now())
    assert alice.get(EXPORT).status_int == 404
    asked = alice.post(EXPORT)
    assert asked.status_int == 202
    assert asked.json == {"state": "waiting", "url": None, "expires_at": None}
    assert alice.get(f"{EXPORT}.zip").status_int == 404
    assert run_jobs(forum) == 1

    shown = alice.get(EXPORT).json

    assert shown["state"] == "ready"
    assert shown["url"].endswith(f"/api/v3{EXPORT}.zip")
    file = alice.get(f"{EXPORT}.zip")
    assert file.headers["Cache-Control"] == "no-store"
    assert file.headers["Content-Disposition"].startswith("attachment; ")
    assert file.content_type == "application/octet-stream"
    archive = zipfile.ZipFile(io.BytesIO(file.body))
    assert archive.testzip() is None
    assert b"A body" in archive.read("topics.json")
    [mail] = queued_mails(forum.database)
    assert (mail.kind, mail.recipient) == (MailKind.DATA_READY, EMAIL)
    assert mail.data["url"].endswith(PATH)
    with forum.database.reads.connect() as db:
        text = mail_texts.text_of(db, forum.registry.forum_settings, mail)
    assert text is not None
    assert text.recipient == EMAIL
    assert mail.data["url"] in text.text


def test_nobody_else_gets_it(forum, alice, bob):
    make_export(forum, alice)
    root = forum.person("root", role="admin", scope="read write moderate admin")
    for other in (bob, root):
        for path in ("export", "export.zip"):
            assert other.get(f"/users/{alice.id}/{path}").status_int == 403
            assert other.get(f"/users/me/{path}").status_int == 404
    assert forum.nobody.get(f"/users/{alice.id}/export.zip").status_int == 401


def test_who_may_only_read_gets_it_too_and_no_email_to_an_address_that_nobody_confirmed(
    forum, alice
):
    forum.change(alice.id, state="blocked", email=EMAIL, email_key=EMAIL)
    assert alice.post(EXPORT).status_int == 202
    run_jobs(forum)
    assert alice.get(f"{EXPORT}.zip").status_int == 200
    assert queued_mails(forum.database) == []


def test_two_requests_at_once_make_one_job(forum, alice):
    answers = together([partial(alone(forum, alice).post, EXPORT) for _ in range(4)])
    assert [answer.status_int for answer in answers] == [202] * 4
    assert forum.count(Job) == forum.count(DataExport) == 1
    claim(forum, minutes=5)
    assert alice.post(EXPORT).json["state"] == "waiting"
    assert forum.count(Job) == 1


def test_a_large_file_is_written_by_one_worker_however_long_it_takes(forum, alice, monkeypatch):
    alice.post(EXPORT)
    now = clock.now()
    file = export_file(forum, claim(forum, seconds=LOCK.total_seconds()))
    for minutes in range(0, 60, 2):
        later = now + timedelta(minutes=minutes)
        monkeypatch.setattr(clock, "now", lambda later=later: later)
        assert claim(forum, minutes=5) is None
        file.write(b"x" * 10)
    file.finish(clock.now())
    assert forum.count(Job) == 0


def test_a_failure_is_recorded_after_the_lock_was_renewed(forum, alice, monkeypatch):
    alice.post(EXPORT)
    now = clock.now()

    def fails(db: Any, user_id: int, file: Any, storages: Any) -> None:
        monkeypatch.setattr(clock, "now", lambda: now + LOCK * 0.9)
        file.write(b"x")
        raise OSError("the disk is full")

    monkeypatch.setattr("forumsvc.background.data_exporter.write_export", fails)
    run_jobs(forum)
    with forum.database.reads.connect() as db:
        [job] = db.execute(select(Job.locked_until, Job.error)).all()
    assert job.locked_until is None
    assert "the disk is full" in job.error


def test_it_is_made_once_a_day_unless_it_has_failed(forum, alice):
    make_export(forum, alice)
    refused = alice.post(EXPORT)
    assert refused.status_int == 429
    assert 86_300 < int(refused.headers["Retry-After"]) <= 86_400
    with forum.database.session.begin() as db:
        db.execute(update(DataExport).values(requested_at=clock.now() - timedelta(days=1)))
    assert alice.post(EXPORT).status_int == 202
    with forum.database.session.begin() as db:
        db.execute(update(Job).where(Job.kind == JobKind.EXPORT).values(state="failed"))
    assert alice.get(EXPORT).json["state"] == "failed"
    assert alice.post(EXPORT).json["state"] == "waiting"


def test_a_worker_that_dies_in_the_middle_leaves_nothing_behind(forum, alice):
    forum.change(alice.id, email=EMAIL, email_key=EMAIL, email_confirmed_at=clock.now())
    alice.post(EXPORT)
    dead = export_file(forum, claim(forum, minutes=5))
    dead.write(b"x" * 20_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "finish", killed)
        with pytest.raises(SystemExit):
            dead.finish(clock.now())
    assert len(files(forum)) == 1
    with forum.database.session.begin() as db:
        db.execute(update(Job).values(locked_until=clock.now()))

    assert run_jobs(forum) == 1

    file = alice.get(f"{EXPORT}.zip").body
    assert zipfile.ZipFile(io.BytesIO(file)).testzip() is None
    with pytest.raises(ExportStopped):
        dead.finish(clock.now())
    assert alice.get(f"{EXPORT}.zip").body == file
    assert len(queued_mails(forum.database)) == 1
    assert len(files(forum)) == 1


def killed(*given: Any) -> None:
    raise SystemExit


def test_a_worker_that_has_lost_its_job_while_it_stored_the_file_removes_it(forum, alice):
    alice.post(EXPORT)
    late = export_file(forum, claim(forum, minutes=5))
    storage = forum.registry.photo_storages.current
    put = storage.put_private

    def put_and_lose(name: str, file: Any) -> None:
        put(name, file)
        with forum.database.session.begin() as db:
            accounts.delete(db, "alice")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "put_private", put_and_lose)
        with pytest.raises(ExportStopped):
            late.finish(clock.now())
    assert files(forum) == []


def test_the_file_is_in_no_table_and_has_no_address_of_a_photo(forum, alice):
    make_export(forum, alice)
    [path] = files(forum)
    assert (path.stat().st_mode & 0o77, path.parent.stat().st_mode & 0o77) == (0, 0)
    for address in (f"/photos/private/{path.name}", f"/photos/{path.name[:2]}/{path.name}"):
        for end in ("", ".png", ".zip"):
            assert forum.app.get(address + end, status="*").status_int == 404


def test_the_audit_removes_files_that_no_row_names(forum, alice):
    make_export(forum, alice)
    storages = forum.registry.photo_storages
    storages.current.put_private(new_private_name(), io.BytesIO(b"of a database before"))
    young = clock.now() - timedelta(minutes=5)
    assert data_export_requests.remove_orphans(forum.database, storages, young) == 0
    later = clock.now() + timedelta(minutes=5)
    assert PhotoAudit(forum.database, storages, later + BEING_UPLOADED).check().counts
    assert data_export_requests.remove_orphans(forum.database, storages, later) == 1
    assert alice.get(f"{EXPORT}.zip").status_int == 200


def test_a_worker_that_is_stopped_gives_the_job_back(forum, alice, monkeypatch):
    alice.post(EXPORT)
    job = claim(forum, minutes=5)
    handler = DataExporter(forum.database, forum.registry.photo_storages)
    handler.stopping = forum.registry.job_runner.stopping.__class__()
    handler.stopping.set()
    handler.run(job)
    assert run_jobs(forum) == 1
    assert alice.get(EXPORT).json["state"] == "ready"


def test_it_is_deleted_after_a_week_and_its_file_with_it(forum, alice, bob):
    for person in (alice, bob):
        make_export(forum, person)
    with forum.database.session.begin() as db:
        owned = update(DataExport).where(DataExport.user_id == alice.id)
        db.execute(owned.values(expires_at=clock.now()))
    assert alice.get(f"{EXPORT}.zip").status_int == 404
    do_periodic_work(forum)
    assert forum.count(DataExport) == len(files(forum)) == 1
    assert bob.get(f"{EXPORT}.zip").status_int == 200


def test_a_job_of_a_dump_does_not_touch_the_export_of_another_person_with_its_id(forum, alice, bob):
    make_export(forum, bob)
    [theirs] = files(forum)
    with forum.database.session.begin() as db:
        export_id = db.scalars(select(DataExport.id)).one()
        data = {"export_id": export_id}
        jobs.enqueue(db, JobKind.EXPORT, clock.now(), data, key=alice.id)
        before = db.execute(select(DataExport.__table__)).one()
    run_jobs(forum)
    assert theirs in files(forum)
    with forum.database.reads.connect() as db:
        assert db.execute(select(DataExport.__table__)).one() == before
