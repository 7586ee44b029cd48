"""The service does not start on a database at an older revision, and says what to do."""

import socket

import pytest
from sqlalchemy import text

import forumsvc
from forumsvc import migrate
from forumsvc.db.engine import Database
from forumsvc.errors import IncompatibleDatabase
from tests import databases
from tests.functional.forum import SECRET
from tests.migrations import later

INI = "production.ini"
ADVICE = f"and this is the code of revision {migrate.head()}: run forumsvc -c {INI} db upgrade"


def startup_problem(database: Database) -> str | None:
    """Return what keeps the service from starting on a database."""
    return migrate.startup_problem(database, INI)


def test_a_database_without_tables_is_not_set_up(blank):
    assert startup_problem(blank) == f"The database is not set up, {ADVICE}"


def test_a_database_that_is_a_revision_behind_is(blank, tmp_path, monkeypatch):
    migrate.upgrade(blank.writes)
    later.install(tmp_path / "later", monkeypatch, later.FIRST)
    advice = ADVICE.replace(f"revision {later.HEAD}", f"revision {later.FIRST}")
    assert startup_problem(blank) == f"The database is at revision {later.HEAD}, {advice}"
    migrate.upgrade(blank.writes)
    assert startup_problem(blank) is None


def test_a_database_of_before_the_first_release_is_to_be_dumped(blank):
    migrate.upgrade(blank.writes)
    with blank.writes.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0013'"))
    advice = "at revision 0013 of before the first release: make a dump"
    assert advice in (startup_problem(blank) or "")
    with pytest.raises(IncompatibleDatabase, match=advice):
        migrate.upgrade(blank.writes)


def test_a_database_of_newer_code_does_not_keep_from_starting(blank):
    migrate.upgrade(blank.writes)
    with blank.writes.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'newer'"))
    assert startup_problem(blank) is None


def test_a_database_that_does_not_answer_is_only_logged_in_one_line(tmp_path, caplog):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for url in (f"postgresql+psycopg://nobody@127.0.0.1:{port}/none", f"sqlite:///{tmp_path}"):
        with databases.open_temporarily(url) as database:
            assert startup_problem(database) is None
        [record] = caplog.records
        assert (record.levelname, record.exc_info) == ("WARNING", None)
        assert record.getMessage().startswith("the database does not answer: ")
        assert "\n" not in record.getMessage()
        caplog.clear()


def test_the_application_of_an_ini_ends_the_process_with_one_line(tmp_path):
    written = {
        "site.environment": "development",
        "sqlalchemy.url": f"sqlite:///{tmp_path / 'nothing' / 'there.sqlite'}",
        "session.secret": SECRET,
    }
    with pytest.raises(SystemExit) as ended:
        forumsvc.main({"here": str(tmp_path), "__file__": INI}, **written)
    assert ended.value.code == f"forumsvc: The database is not set up, {ADVICE}"
    assert [*tmp_path.iterdir()] == []
