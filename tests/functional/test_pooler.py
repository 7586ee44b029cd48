"""A real PgBouncer in front of the database, with both of its modes that are supported."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, select, text
from sqlalchemy.exc import DBAPIError

from forumsvc.database import open_database
from forumsvc.db.connection_options import ConnectionOptions, Pooler
from forumsvc.db.engine import Database
from forumsvc.errors import IncompatibleDatabase
from forumsvc.models import User
from forumsvc.settings import Settings
from tests import pgbouncer
from tests.databases import on_postgresql
from tests.functional.cli.conftest import run_command
from tests.functional.conftest import MakeForum
from tests.functional.forum import SECRET, content
from tests.pgbouncer import PgBouncer

pytestmark = [on_postgresql, pytest.mark.direct]

CLIENTS, SERVERS = 64, 8
PREPARES = pgbouncer.version() >= (1, 21)


def open_through(pooler: PgBouncer) -> Database:
    """Open the database as the service does."""
    base = {"session.secret": SECRET, "site.environment": "development"}
    settings = Settings({**base, **pooler.settings()})
    return open_database(settings["sqlalchemy.url"], ConnectionOptions.from_settings(settings))


@contextmanager
def altered(url: str, change: str, back: str) -> Iterator[None]:
    """Change something as an administrator, and change it back."""
    plain = make_url(url).set(drivername="postgresql", database="postgres")
    with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as admin:
        admin.execute(change.encode())
        try:
            yield
        finally:
            admin.execute(back.encode())


@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_a_forum_behind_a_pgbouncer_reads_writes_and_searches(
    make_forum: MakeForum, database_url: str, mode: Pooler
) -> None:
    with pgbouncer.running(database_url, mode) as pooler:
        forum = make_forum(**{k.replace(".", "__"): v for k, v in pooler.settings().items()})
        alice = forum.person("alice")
        topic = forum.topic(alice, forum.node(), title="Words to find")
        reply = forum.reply(alice, topic)
        assert [one["id"] for one in content(alice.get(f"/topics/{topic}/replies"))] == [reply]
        assert alice.get("/search/topics", q="words").status_int == 200
        assert forum.app.get("/health").json["writes"] is True


def test_many_clients_share_few_servers_without_an_error(database_url: str) -> None:
    errors: list[BaseException] = []
    with pgbouncer.running(database_url, "transaction", pool_size=SERVERS) as pooler:
        database = open_through(pooler)
        everybody = select(User.id).where(User.login != "")

        def work(number: int) -> None:
            try:
                for _ in range(20):
                    database.executor.rows(everybody, {})
                    with database.session.begin() as db:
                        db.execute(
                            text("SELECT pg_advisory_xact_lock(:number)"), {"number": number}
                        )
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        database.dispose()
    assert errors == []


def test_no_statement_is_prepared_where_the_pooler_does_not_follow_it(database_url: str) -> None:
    with pgbouncer.running(
        database_url,
        "transaction",
        pool_size=1,
        more="max_prepared_statements = 0" if PREPARES else "",
    ) as pooler:
        database = open_through(pooler)
        for _ in range(5):
            database.executor.rows(select(User.id), {})
        with database.reads.connect() as db:
            assert db.scalar(text("SELECT count(*) FROM pg_prepared_statements")) == 0
        database.dispose()


@pytest.mark.parametrize(
    ("setting", "value", "needed"),
    [
        ("timezone", "'Europe/Berlin'", "utc"),
        ("lock_timeout", "0", "1000"),
        ("default_transaction_read_only", "off", "on"),
    ],
)
def test_a_role_without_the_settings_is_refused_with_what_to_run(
    database_url: str, setting: str, value: str, needed: str
) -> None:
    role = f"ALTER ROLE {pgbouncer.READ_ROLE} SET {setting} = "
    with pgbouncer.running(database_url, "transaction") as pooler:
        with altered(database_url, role + value, f"{role}'{needed}'"):
            database = open_through(pooler)
            with pytest.raises(IncompatibleDatabase, match=f"{setting} = .* and needs {needed}"):
                database.executor.rows(select(User.id), {})
            database.writes.connect().close()
        database.dispose()


def test_sessions_as_others_left_them_are_refused(database_url: str) -> None:
    with pgbouncer.running(
        database_url, "session", pool_size=1, more="server_reset_query ="
    ) as pooler:
        name = pooler.url(pgbouncer.WRITE_ROLE).replace("+psycopg", "")
        with psycopg.connect(name, autocommit=True) as other:
            other.execute("PREPARE one AS SELECT 1")
        database = open_through(pooler)
        with pytest.raises(IncompatibleDatabase, match="needs server_reset_query"):
            database.writes.connect()
        database.dispose()


def test_the_wrong_mode_is_refused(database_url: str) -> None:
    with pgbouncer.running(database_url, "session") as pooler:
        database = open_database(pooler.url(pgbouncer.WRITE_ROLE), ConnectionOptions())
        with pytest.raises((IncompatibleDatabase, DBAPIError), match=r"set sqlalchemy\.pooler"):
            database.writes.connect()
        database.dispose()


def test_the_statements_of_the_roles_are_printed_and_the_commands_go_past_the_pooler(
    database_url: str, tmp_path: Path
) -> None:
    urls = {
        "sqlalchemy.url": "postgresql://writer@127.0.0.1:1/forum",
        "sqlalchemy.read_url": "postgresql://reader@127.0.0.1:1/forum",
        "sqlalchemy.direct_url": database_url,
        "sqlalchemy.pooler": "transaction",
    }
    lines = "\n".join(f"{name} = {value}" for name, value in urls.items())
    ini = tmp_path / "forum.ini"
    ini.write_text(
        f"[app:main]\nuse = call:forumsvc:main\nsite.environment = development\n"
        f"session.secret = {SECRET}\n{lines}\n"
    )
    statements = run_command("-c", ini, "db", "role-settings", "--json").json["statements"]
    assert "ALTER ROLE \"writer\" SET timezone = 'utc'" in statements
    assert "ALTER ROLE \"reader\" SET default_transaction_read_only = 'on'" in statements
    assert not any("writer" in one and "read_only" in one for one in statements)
    assert run_command("-c", ini, "db", "current", "--json").json["pending"] == []
