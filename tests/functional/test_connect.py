"""Connections to PostgreSQL: their timeouts and session settings, and which ones are refused."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import func, literal, make_url, select, text
from sqlalchemy.exc import DBAPIError

from forumsvc import migrate
from forumsvc.cache.database import open_database
from forumsvc.db import connect
from forumsvc.db.connection_options import ConnectionOptions, Timeouts
from forumsvc.db.engine import Database
from forumsvc.errors import IncompatibleDatabase
from forumsvc.settings import Settings
from tests import databases, postgres
from tests.cases import each
from tests.databases import on_postgresql
from tests.functional.cli.conftest import INI, run_command
from tests.functional.forum import SECRET
from tests.pooler import pooler

pytestmark = on_postgresql
"""SQLite has no connections to a server."""


def with_query(url: str, **query: str) -> str:
    return make_url(url).update_query_dict(query).render_as_string(hide_password=False)


def settings_of(url: str) -> Settings:
    return Settings(
        {"sqlalchemy.url": url, "session.secret": SECRET, "site.environment": "development"}
    )


def shown(database: Database, name: str) -> list[str]:
    """Return the value of a session setting, for reads and for writes."""
    found = []
    for engine in (database.reads, database.writes):
        with engine.connect() as connection:
            found.append(connection.execute(text(f"SHOW {name}")).scalar_one())
    return found


@contextmanager
def defaults(url: str, **settings: str) -> Iterator[None]:
    """Set defaults of new sessions for a database, as an administrator does."""
    parsed = make_url(url)
    plain = parsed.set(drivername="postgresql", database="postgres")
    with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as admin:
        for name, value in settings.items():
            admin.execute(f"ALTER DATABASE {parsed.database} SET {name} = {value}".encode())
        try:
            yield
        finally:
            for name in settings:
                admin.execute(f"ALTER DATABASE {parsed.database} RESET {name}".encode())


def test_every_wait_for_the_database_has_a_timeout_by_default(database_url):
    settings = settings_of(database_url)
    database = open_database(
        database_url, ConnectionOptions(timeouts=Timeouts.from_settings(settings))
    )
    try:
        assert shown(database, "lock_timeout") == ["300ms", "1200ms"]
        assert shown(database, "statement_timeout") == ["30s", "30s"]
        assert shown(database, "idle_in_transaction_session_timeout") == ["20s", "20s"]
        with database.writes.connect() as db:
            info: Any = db.connection.driver_connection
            asked = info.info.get_parameters()
        assert (asked["connect_timeout"], asked["tcp_user_timeout"]) == ("5", "10000")
        assert asked["keepalives_idle"] == "30"
    finally:
        database.dispose()


@each("function", ["pg_control_system", "pg_logical_emit_message"])
def test_what_the_service_asks_the_server_needs_no_special_role(database, function):
    allowed = text(
        "SELECT bool_and(has_function_privilege('public', oid, 'EXECUTE')) FROM pg_proc "
        "WHERE proname = :function"
    )
    with database.reads.connect() as connection:
        assert connection.scalar(allowed, {"function": function})


def test_a_command_may_run_a_statement_for_hours(database_url):
    settings = settings_of(database_url)
    database = open_database(
        database_url, ConnectionOptions(timeouts=Timeouts.from_settings(settings).for_commands())
    )
    try:
        assert shown(database, "lock_timeout") == ["2500ms", "10s"]
        assert shown(database, "statement_timeout") == ["0", "0"]
        assert shown(database, "idle_in_transaction_session_timeout") == ["0", "0"]
    finally:
        database.dispose()


def test_options_in_the_url_are_used_and_take_precedence(database_url):
    url = with_query(
        database_url,
        options="-c search_path=forum,public -c lock_timeout=3s",
        application_name="mine",
        connect_timeout="7",
    )
    with databases.open_temporarily(url) as database:
        assert shown(database, "search_path") == ["forum,public"] * 2
        assert shown(database, "lock_timeout") == ["3s", "3s"]
        assert shown(database, "application_name") == ["mine", "mine"]
        assert shown(database, "timezone") == ["UTC", "UTC"]
        with database.writes.connect() as db:
            driver: Any = db.connection.driver_connection
            assert driver.info.get_parameters()["connect_timeout"] == "7"


def test_the_default_application_name_is_forumsvc(database):
    assert shown(database, "application_name") == ["forumsvc", "forumsvc"]


def test_reads_connect_though_the_url_wants_read_write_sessions(database_url):
    with databases.open_temporarily(
        with_query(database_url, target_session_attrs="read-write")
    ) as database:
        assert shown(database, "default_transaction_read_only") == ["on", "off"]


@each(
    ("options", "reason"),
    [
        ("-c timezone=Europe/Berlin", "TimeZone of the session must be UTC and is Europe/Berlin"),
        ("-c datestyle=German", "DateStyle of the session must be ISO, MDY and is German, DMY"),
        ("-c intervalstyle=iso_8601", "IntervalStyle of the session must be postgres"),
        ("-c search_path=nothing", "search_path names no schema that is there"),
        ("-c default_transaction_read_only=off", "take default_transaction_read_only out"),
    ],
)
def test_a_session_with_unsuitable_settings_is_refused(database_url, options, reason):
    with (
        databases.open_temporarily(with_query(database_url, options=options)) as database,
        pytest.raises(IncompatibleDatabase, match=reason),
    ):
        shown(database, "timezone")


@each(
    ("name", "default", "used"),
    [
        ("datestyle", "'German, DMY'", "ISO, MDY"),
        ("client_encoding", "LATIN1", "UTF8"),
        ("intervalstyle", "iso_8601", "postgres"),
        ("standard_conforming_strings", "off", "on"),
        ("bytea_output", "escape", "hex"),
        ("extra_float_digits", "-5", "1"),
        ("default_transaction_isolation", "serializable", "read committed"),
        ("timezone", "'Asia/Kolkata'", "UTC"),
    ],
)
def test_defaults_of_the_database_change_no_answer(database_url, name, default, used):
    with (
        defaults(database_url, **{name: default}),
        databases.open_temporarily(database_url) as database,
    ):
        assert shown(database, name) == [used, used]
        with database.session.begin() as db:
            text_of_all = "楼 é \\ '"
            assert db.scalar(select(literal(text_of_all))) == text_of_all


@each(
    ("variable", "value", "reason"),
    [
        ("PGDATESTYLE", "German", "DateStyle .* or PGDATESTYLE out of the environment"),
        ("PGTZ", "Asia/Kolkata", "TimeZone .* or PGTZ out of the environment"),
    ],
)
def test_a_variable_that_overrides_a_session_setting_is_named(
    database_url, variable, value, reason
):
    with (
        pytest.MonkeyPatch.context() as patched,
        databases.open_temporarily(database_url) as database,
    ):
        patched.setenv(variable, value)
        with pytest.raises(IncompatibleDatabase, match=reason):
            database.writes.connect()


def test_variables_for_other_programs_change_nothing(database_url, monkeypatch):
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    monkeypatch.setenv("PGOPTIONS", "-c datestyle=German")
    with databases.open_temporarily(database_url) as database:
        assert shown(database, "client_encoding") == ["UTF8", "UTF8"]
        assert shown(database, "datestyle") == ["ISO, MDY", "ISO, MDY"]


@each("encoding", ["LATIN1", "SQL_ASCII", "EUC_JP", "MULE_INTERNAL"])
def test_a_database_of_another_encoding_is_refused_by_commands_and_at_the_start(
    database_url, encoding, tmp_path
):
    name = f"of_{encoding.lower()}_{os.getpid()}"
    url = make_url(database_url).set(database=name).render_as_string(hide_password=False)
    admin_url = databases.plain_url(url).replace(f"/{name}", "/postgres")
    with psycopg.connect(admin_url, autocommit=True) as admin:
        options = f"TEMPLATE template0 ENCODING '{encoding}' LOCALE_PROVIDER libc LOCALE 'C'"
        admin.execute(f"CREATE DATABASE {name} {options}".encode())
    try:
        ini = tmp_path / "forum.ini"
        ini.write_text(INI.format(url=url.replace("%", "%%")))
        reason = f"The database {name} has the encoding {encoding}"
        assert reason in run_command("-c", ini, "db", "upgrade").refusal
        assert run_command("-c", ini, "check").out.count(reason) == 1
        with databases.open_temporarily(url) as database:
            assert reason in (migrate.startup_problem(database, "x.ini") or "")
    finally:
        postgres.drop_database(url)


def test_an_older_server_is_refused(database, monkeypatch):
    monkeypatch.setattr(connect, "MINIMUM_VERSION", 10**9)
    database.dispose()
    with pytest.raises(IncompatibleDatabase, match="PostgreSQL 13 or newer is needed"):
        shown(database, "timezone")


@each("refuses", [False, True])
def test_a_pooler_without_the_session_settings_is_refused(database_url, refuses):
    with pooler(database_url, refuses=refuses) as url, databases.open_temporarily(url) as database:
        for engine in (database.reads, database.writes):
            with pytest.raises(IncompatibleDatabase, match=r"set sqlalchemy\.pooler"):
                engine.connect()


def test_a_session_with_prepared_statements_is_refused(database, monkeypatch):
    shared = connect._SESSION.replace("pg_prepared_statements", "(SELECT 1) AS one")
    monkeypatch.setattr(connect, "_SESSION", shared)
    database.dispose()
    with pytest.raises(IncompatibleDatabase, match="hands out sessions that others have used"):
        shown(database, "timezone")


def test_a_pooler_is_told_by_commands_and_at_the_start(database_url, tmp_path):
    with pooler(database_url) as url:
        ini = tmp_path / "forum.ini"
        ini.write_text(INI.format(url=url.replace("%", "%%")))
        refusal = run_command("-c", ini, "node", "list").refusal
        with databases.open_temporarily(url) as database:
            assert "set sqlalchemy.pooler" in (migrate.startup_problem(database, "x.ini") or "")
    assert "set sqlalchemy.pooler" in refusal


def test_a_command_reports_a_read_only_server_in_one_line(database, tmp_path):
    url = database.url.render_as_string(hide_password=False)
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url=url.replace("%", "%%")))
    with defaults(url, default_transaction_read_only="on"):
        assert "takes no writes" in run_command("-c", ini, "node", "add", "New").refusal
        assert run_command("-c", ini, "db", "check", "--json").json["wrong"] == 0


def test_a_read_only_server_is_refused_for_writes_only(database_url):
    with (
        defaults(database_url, default_transaction_read_only="on"),
        databases.open_temporarily(database_url) as database,
    ):
        database.reads.connect().close()
        with pytest.raises(DBAPIError, match="takes no writes") as raised:
            database.writes.connect()
    assert getattr(raised.value.orig, "sqlstate", "") == "25006"


def test_connections_beyond_the_age_limit_are_replaced_at_their_next_use(database_url):
    def sessions(max_age_seconds: float | None) -> list[int]:
        """Return how many sessions three reads and three transactions have used."""
        database = open_database(database_url, ConnectionOptions(max_age_seconds=max_age_seconds))
        pid = select(func.pg_backend_pid().label("pid"))
        try:
            reads = {database.executor.rows(pid, {})[0].pid for _ in range(3)}
            writes = set()
            for _ in range(3):
                with database.session.begin() as db:
                    writes.add(db.scalar(pid))
            assert database.executor.thread_connections == 1
            return [len(reads), len(writes)]
        finally:
            database.dispose()

    assert sessions(None) == [1, 1]
    assert sessions(1e-6) == [3, 3]
