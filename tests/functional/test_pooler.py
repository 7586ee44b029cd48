"""A real PgBouncer with transaction pooling in front of the database."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url, select, text
from sqlalchemy.exc import DBAPIError

from forumsvc.cache.database import open_database
from forumsvc.db.connect import session_settings
from forumsvc.db.connection_options import ConnectionOptions
from forumsvc.db.engine import Database
from forumsvc.errors import IncompatibleDatabase
from forumsvc.models import User
from forumsvc.settings import Settings
from tests import pgbouncer
from tests.databases import on_postgresql
from tests.functional.cli.conftest import run_command
from tests.functional.forum import SECRET, content
from tests.functional.threads import alone, flat, statuses, together
from tests.pgbouncer import PgBouncer

pytestmark = [on_postgresql, pytest.mark.direct]


def open_through(pooler: PgBouncer) -> Database:
    base = {"session.secret": SECRET, "site.environment": "development"}
    settings = Settings({**base, **pooler.settings()})
    return open_database(settings["sqlalchemy.url"], ConnectionOptions.from_settings(settings))


@contextmanager
def altered(url: str, change: str, back: str) -> Iterator[None]:
    plain = make_url(url).set(drivername="postgresql", database="postgres")
    with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as admin:
        admin.execute(change.encode())
        try:
            yield
        finally:
            admin.execute(back.encode())


def test_a_forum_behind_a_pgbouncer_reads_writes_and_searches(make_forum, database_url):
    with pgbouncer.running(database_url) as pooler:
        forum = make_forum(**{k.replace(".", "__"): v for k, v in pooler.settings().items()})
        alice = forum.person("alice")
        topic = forum.topic(alice, forum.node(), title="Words to find")
        reply = forum.reply(alice, topic)
        assert [one["id"] for one in content(alice.get(f"/topics/{topic}/replies"))] == [reply]
        assert alice.get("/search/topics", q="words").status_int == 200
        assert forum.app.get("/health").json["writes"] is True


def test_none_of_500_requests_fails_over_few_sessions(make_forum, database_url):
    with pgbouncer.running(database_url, pool_size=4) as pooler:
        forum = make_forum(**{k.replace(".", "__"): v for k, v in pooler.settings().items()})
        alice, node = forum.person("alice"), forum.node()

        def work() -> Callable[[], list[Any]]:
            caller, topic = alone(forum, alice), forum.topic(alice, node)
            return lambda: [
                answer
                for _ in range(10)
                for answer in (
                    *[caller.get("/topics") for _ in range(4)],
                    caller.post(f"/topics/{topic}/replies", body="A reply"),
                )
            ]

        answers = together([work() for _ in range(10)])
    assert statuses(flat(answers)) == {200: 400, 201: 100}


def test_no_statement_is_prepared(database_url):
    with pgbouncer.running(database_url, pool_size=1) as pooler:
        database = open_through(pooler)
        for _ in range(5):
            database.executor.rows(select(User.id), {})
        with database.reads.connect() as db:
            assert db.scalar(text("SELECT count(*) FROM pg_prepared_statements")) == 0
        database.dispose()


@pytest.mark.parametrize(
    ("setting", "value"), [("timezone", "'Europe/Berlin'"), ("lock_timeout", "0")]
)
def test_a_role_without_the_settings_is_refused_with_what_to_run(database_url, setting, value):
    with pgbouncer.running(database_url) as pooler:
        database = open_through(pooler)
        name = database.url.database
        change = f'ALTER ROLE {pgbouncer.ROLE} IN DATABASE "{name}" SET {setting} = '
        needed = session_settings(database.options.timeouts, read_only=False)[setting]
        with (
            altered(database_url, change + value, f"{change}'{needed}'"),
            pytest.raises(IncompatibleDatabase, match=f"{setting} = .* and needs {needed}: run "),
        ):
            database.executor.rows(select(User.id), {})
        database.dispose()


def test_a_pooler_that_is_not_set_is_refused(database_url):
    with pgbouncer.running(database_url) as pooler:
        database = open_database(pooler.url(), ConnectionOptions())
        with pytest.raises((IncompatibleDatabase, DBAPIError), match=r"set sqlalchemy\.pooler"):
            database.writes.connect()
        database.dispose()


def test_the_printed_settings_hold_in_the_forums_database_and_end_what_is_off(
    database_url, tmp_path
):
    lines = {
        "sqlalchemy.url": "postgresql://writer@127.0.0.1:1/forum",
        "sqlalchemy.direct_url": database_url,
        "sqlalchemy.pooler": "true",
        "database.statement_timeout_seconds": "off",
    }
    ini = tmp_path / "forum.ini"
    ini.write_text(
        f"[app:main]\nuse = call:forumsvc:main\nsite.environment = development\n"
        f"session.secret = {SECRET}\n" + "\n".join(f"{a} = {b}" for a, b in lines.items())
    )
    statements = run_command("-c", ini, "db", "role-settings", "--json").json["statements"]
    begin = f'ALTER ROLE "writer" IN DATABASE "{make_url(database_url).database}" SET '
    assert all(one.startswith(begin) for one in statements)
    shown = [one.removeprefix(begin) for one in statements]
    assert {"timezone = 'UTC'", "lock_timeout = '1200'", "statement_timeout = '0'"} <= {*shown}
    # The commands go past the pooler.
    assert run_command("-c", ini, "db", "current", "--json").json["pending"] == []
