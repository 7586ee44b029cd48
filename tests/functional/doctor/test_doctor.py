"""`forumsvc doctor`: all areas in turn, whatever one of them meets."""

import io
from collections.abc import Callable, Iterator
from datetime import timedelta
from threading import Event
from typing import Any

import pytest

from forumsvc import clock
from forumsvc.doctor import folders
from forumsvc.doctor import run as running
from forumsvc.doctor.finding import Finding, warning
from forumsvc.media.local_storage import LocalStorage
from forumsvc.models import EventType, Photo, User
from forumsvc.services import events
from forumsvc.services.event_consumers import consume
from tests.databases import on_sqlite
from tests.functional.cli.conftest import run_command
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.raw import dump
from tests.functional.rows import insert_row
from tests.functional.test_backup import FIRST, SECOND, name_of
from tests.migrations import later

pytestmark = pytest.mark.both_databases


def test_a_healthy_forum_has_no_finding_above_info_and_is_not_changed(examine, database, tmp_path):
    before = dump(database)
    assert examine().faults == []
    assert dump(database) == before
    assert not (tmp_path / "var").exists()
    printed = run_command("-c", tmp_path / "examined.ini", "doctor")
    assert (printed.code, printed.err) == (0, "")
    assert printed.out.splitlines()[-1] == "Nothing is wrong."


def test_a_database_that_is_away_is_told_once_without_its_password(tmp_path, disk):
    disk(0.5)
    path = tmp_path / "forum.ini"
    lines = "[app:main]\nuse = egg:forumsvc\nsite.environment = development\n"
    secret = "session.secret = a secret that these tests made up\n"
    url = f"sqlalchemy.url = postgresql://u:s3cret@/forum?host={tmp_path}\n"
    path.write_text(f"{lines}{secret}{url}[server:main]\nuse = egg:forumsvc\n")
    outcome = run_command("-c", path, "doctor")
    assert (outcome.code, outcome.err) == (1, "")
    assert "s3cret" not in outcome.out
    [line] = [line for line in outcome.out.splitlines() if not line.startswith("info: ")]
    assert line.startswith("error: configuration: sqlalchemy.url: the database does not answer")
    assert "info: database: " in outcome.out


def test_tables_of_another_revision_are_not_examined(examine, tmp_path, monkeypatch):
    later.install(tmp_path / "later", monkeypatch, later.FIRST)
    found = examine()
    assert "db upgrade" in found.only("error", "configuration")
    assert "not examined" in found.infos("database")[0]


@on_sqlite
def test_an_area_that_fails_keeps_its_findings_and_stops_no_other(examine, monkeypatch):
    def broken(installation: Any) -> Iterator[Finding]:
        yield warning("found before")
        raise RuntimeError("a\nmistake")

    monkeypatch.setattr(running, "AREAS", (("first", broken), ("disk", folders.check_space)))
    assert examine().faults == [
        ("warning", "first", "found before"),
        ("warning", "first", "Not everything could be checked: RuntimeError: a mistake"),
    ]


@on_sqlite
def test_an_area_that_hangs_is_a_finding(examine, monkeypatch):
    end = Event()

    def hanging(installation: Any) -> Iterator[Finding]:
        yield warning("found before")
        end.wait()

    collect = running._collect

    def impatient(name: str, check: Callable[[], Iterator[Finding]], seconds: float) -> Any:
        # The others may take longer than a second on a busy machine.
        return collect(name, check, 1.0 if name == "first" else seconds)

    monkeypatch.setattr(running, "_collect", impatient)
    monkeypatch.setattr(running, "AREAS", (("first", hanging),))
    found = examine()
    end.set()
    [before, late] = [message for _, _, message in found.faults]
    assert before == "found before"
    assert late.startswith("Not everything could be checked within 1 seconds: ")


@on_sqlite
def test_photos_of_which_none_has_a_file_are_found(examine, database, tmp_path):
    names = [name_of(content) for content in (FIRST, SECOND)]
    with database.session.begin() as db:
        user = insert_row(db, User, login="ann")
        for name in names:
            given = {"media_type": "image/png", "size": 1, "digest": name[:64], "storage": "local"}
            insert_row(db, Photo, user_id=user, name=name, width=1, height=1, **given)
    message = examine().only("error", "photos")
    assert "None of the 2 newest photos has a file: is photos.dir =" in message
    LocalStorage(tmp_path / "photos").put(names[0], io.BytesIO(FIRST), "image/png")
    assert examine(photos__dir="photos").faults == []


def test_events_that_wait_are_a_warning_after_five_minutes(examine, database):
    for ago in (timedelta(hours=2), timedelta(0)):
        with database.session.begin() as db:
            events.record(db, EventType.USER_CREATED, clock.now() - ago, actor_id=None)
    wait_for_horizon(database)
    with database.session.begin() as db:
        consume(db, "indexer", lambda db, batch: None, clock.now(), limit=0)
    assert (
        examine()
        .only("warning", "background")
        .startswith("Events that indexer has yet to read: 2, the oldest is 2 hours old.")
    )
    with database.session.begin() as db:
        consume(db, "indexer", lambda db, batch: None, clock.now(), limit=1)
    assert examine().faults == []
