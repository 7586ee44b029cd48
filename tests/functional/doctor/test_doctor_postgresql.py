"""`forumsvc doctor`: a PostgreSQL server."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import text

from forumsvc.doctor import Level, postgresql, postgresql_servers
from tests.databases import on_postgresql
from tests.functional.doctor.conftest import DURABLE

Settings = Callable[..., None]


@on_postgresql
def test_the_settings_are_those_of_the_server(database):
    with database.reads.connect() as db:
        found = postgresql.server_settings(db)
        assert {name: db.scalar(text(f"SHOW {name}")) for name in DURABLE} == {
            name: found[name] for name in DURABLE
        }


@on_postgresql
def test_a_transaction_that_is_open_for_long_is_a_warning(examine, database, monkeypatch):
    monkeypatch.setitem(postgresql.LIMITS, "minutes", 0)
    with database.writes.connect() as connection:
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
        messages = [message for _, _, message in examine().faults]
    [message] = [one for one in messages if f"(process {pid}, idle in transaction)" in one]
    assert f"pg_terminate_backend({pid})" in message


@on_postgresql
def test_an_invalid_index_is_a_warning(examine, database):
    state = text(
        "UPDATE pg_index SET indisvalid = :valid WHERE indexrelid = 'ix_users_name_key'::regclass"
    )

    def mark(*, valid: bool) -> None:
        with database.writes.begin() as connection:
            connection.execute(state, {"valid": valid})

    mark(valid=False)
    try:
        message = examine().only("warning", "database")
    finally:
        mark(valid=True)
    assert "REINDEX INDEX CONCURRENTLY ix_users_name_key" in message


@on_postgresql
def test_an_index_that_nobody_uses_is_worth_knowing(examine, monkeypatch):
    monkeypatch.setattr(postgresql, "LIMITS", {"minutes": 10, "bytes": -1, "days": -1})
    infos = examine().infos("database")
    assert any("was not used since the statistics began" in one for one in infos)


def standby(**changed: Any) -> SimpleNamespace:
    """Return a row of a standby that is up to date, with these columns changed."""
    values = {"name": "b", "state": "streaming", "sync_state": "sync", "seconds": 0.1, "bytes": 10}
    return SimpleNamespace(**{**values, **changed})


@pytest.mark.parametrize(
    ("standbys", "names", "level", "message"),
    [
        ([], "ANY 1 (b)", Level.ERROR, "no such standby is connected: every write waits"),
        ([standby(sync_state="async")], "b", Level.ERROR, "every write waits"),
        ([standby(state="catchup")], "b", Level.WARNING, "in the state catchup"),
        ([standby(seconds=90.0)], "b", Level.WARNING, "is 90 seconds and 0 MB behind"),
        ([standby(bytes=2 * 10**9)], "b", Level.WARNING, "is 0 seconds and 2000 MB behind"),
        ([standby(sync_state="async")], "", Level.INFO, "a failover may lose the newest writes"),
        (
            [standby(state=None, sync_state=None, seconds=None, bytes=None)],
            "b",
            Level.INFO,
            "GRANT pg_monitor",
        ),
    ],
)
def test_standbys_that_lag_or_are_missing_are_found(standbys, names, level, message):
    [found] = postgresql_servers.check_standbys(standbys, names)
    assert (found.level, message in found.message) == (level, True), found


def test_a_standby_that_is_up_to_date_is_no_finding():
    assert [*postgresql_servers.check_standbys([standby(), standby()], "b")] == []
    assert [*postgresql_servers.check_standbys([], "")] == []


def test_a_replication_slot_that_nobody_reads_is_a_warning():
    [found] = postgresql_servers.check_slots([SimpleNamespace(name="old", bytes=3 * 10**9)])
    assert "slot old, for which 3000 MB" in found.message
    assert "pg_drop_replication_slot('old')" in found.message
