"""Opens connections to PostgreSQL, and checks their session settings.

The settings are part of the startup packet (`options`): they cost no statement and last for the
whole session. Options in the URL come after them and override them.
"""

import secrets
from collections.abc import Mapping
from typing import Any

import psycopg
from sqlalchemy import Dialect, Engine, event

from ..errors import IncompatibleDatabase
from .timeouts import Timeouts
from .wrap import Driver

MINIMUM_VERSION = 130000
"""The first version with `hash_mem_multiplier`."""

_MARKER = "forumsvc.connection"
_UTC = frozenset({"utc", "etc/utc", "gmt", "etc/gmt"})
_KEEPALIVE_INTERVAL_SECONDS = 5
_KEEPALIVE_PROBES = 3
_PREPARE_THRESHOLDS: dict[Driver, int | None] = {
    # psycopg would, at a rollback, deallocate the prepared statements of the PipelineConnection.
    "pipeline": None,
    "cursor": 1,
}
"""After how many runs psycopg prepares a statement."""

_SESSION = f"""
SELECT current_setting('{_MARKER}', true),
       current_setting('TimeZone'),
       current_setting('transaction_read_only') = 'on',
       pg_is_in_recovery(),
       EXISTS (SELECT FROM pg_prepared_statements)
"""  # noqa: S608  # the marker is a constant


def attach(engine: Engine, timeouts: Timeouts, driver: Driver, *, read_only: bool) -> None:
    """Let an engine open its connections by `open_connection`."""

    @event.listens_for(engine, "do_connect")
    def do_connect(dialect: Dialect, record: Any, args: Any, parameters: dict[str, Any]) -> Any:
        return open_connection(parameters, timeouts, driver, read_only=read_only)


def open_connection(
    parameters: Mapping[str, Any],
    timeouts: Timeouts,
    driver: Driver = "pipeline",
    *,
    read_only: bool,
) -> "psycopg.Connection[Any]":
    """Open a connection and check its session.

    parameters: of psycopg, from the URL; driver: which of the two prepares statements;
    read_only: whether the database is to refuse writes.

    Raises psycopg.Error, of SQLSTATE 25006 where writes are wanted and the server takes none, and
    IncompatibleDatabase.
    """
    marker = secrets.token_hex(8)
    options = session_options(timeouts, marker, read_only=read_only)
    arguments = {
        "fallback_application_name": "forumsvc",
        "connect_timeout": timeouts.connect,
        **_tcp(timeouts),
        **parameters,
        "prepare_threshold": _PREPARE_THRESHOLDS[driver],
        "options": f"{options} {parameters.get('options', '')}".strip(),
    }
    if read_only and arguments.get("target_session_attrs") == "read-write":
        # libpq would refuse the session, which is read-only by our own settings.
        arguments["target_session_attrs"] = "primary"
    try:
        connection = psycopg.connect(**arguments)
    except psycopg.OperationalError as error:
        reason = _refused_options(str(error))
        if reason is not None:
            raise IncompatibleDatabase(reason) from error
        raise
    try:
        _check(connection, marker, read_only=read_only)
    except BaseException:
        connection.close()
        raise
    return connection


def session_options(timeouts: Timeouts, marker: str, *, read_only: bool) -> str:
    """Return the `options` of the startup packet."""
    # PostgreSQL counts twice: until a transaction is the next for a row, and until it has it.
    half = None if timeouts.lock is None else timeouts.lock / 2
    settings = {
        "timezone": "utc",
        # Each statement is planned once: the best index depends on the list, not on parameters.
        "plan_cache_mode": "force_generic_plan",
        _MARKER: marker,
        "lock_timeout": _milliseconds(timeouts.read_lock if read_only else half),
        "statement_timeout": _milliseconds(timeouts.statement),
        "idle_in_transaction_session_timeout": _milliseconds(timeouts.idle_transaction),
    }
    if read_only:
        settings["default_transaction_read_only"] = "on"
        # Memory to hash the ids of all hidden topics, up to two million (`queries.topics`): with
        # less, each row at a large offset would be compared with every one of them.
        settings["hash_mem_multiplier"] = "16"
    return " ".join(f"-c {name}={value}" for name, value in settings.items() if value is not None)


def _milliseconds(seconds: float | None) -> str | None:
    return None if seconds is None else str(max(1, round(seconds * 1000)))


def _tcp(timeouts: Timeouts) -> dict[str, int]:
    """Return libpq's parameters for detecting a server that is gone."""
    if timeouts.keepalive is None:
        found = {"keepalives": 0}
    else:
        found = {
            "keepalives_idle": timeouts.keepalive,
            "keepalives_interval": _KEEPALIVE_INTERVAL_SECONDS,
            "keepalives_count": _KEEPALIVE_PROBES,
        }
    if timeouts.tcp_user is not None:
        found["tcp_user_timeout"] = timeouts.tcp_user * 1000
    return found


def _refused_options(message: str) -> str | None:
    """Return why a server refused the session settings at connect, None where it did not."""
    if "startup parameter" in message:
        return _pooled("refuses the session settings (startup parameter options)")
    if "hash_mem_multiplier" in message or "plan_cache_mode" in message:
        return "PostgreSQL 13 or newer is needed."
    return None


def _pooled(what: str) -> str:
    return (
        f"What answers under sqlalchemy.url {what}: connect to PostgreSQL itself, "
        "not through a pooler such as PgBouncer."
    )


def _check(connection: "psycopg.Connection[Any]", marker: str, *, read_only: bool) -> None:
    version = connection.info.server_version
    if version < MINIMUM_VERSION:
        raise IncompatibleDatabase(f"PostgreSQL 13 or newer is needed; this is {version // 10000}.")
    connection.autocommit = True
    row = connection.execute(_SESSION).fetchone()
    connection.autocommit = False
    assert row is not None, "a SELECT without FROM has a row"  # noqa: S101
    arrived, time_zone, refuses_writes, is_standby, is_shared = row
    if arrived != marker:
        raise IncompatibleDatabase(
            _pooled("drops the session settings (startup parameter options)")
        )
    if is_shared:
        raise IncompatibleDatabase(_pooled("hands out sessions that others have used"))
    if time_zone.lower() not in _UTC:
        raise IncompatibleDatabase(
            f"The time zone of the session must be UTC and is {time_zone}: "
            "take it out of the options in sqlalchemy.url."
        )
    if read_only and not refuses_writes:
        raise IncompatibleDatabase(
            "Sessions that only read can write: take default_transaction_read_only out of the "
            "options in sqlalchemy.url."
        )
    if not read_only and refuses_writes:
        state = "is a standby" if is_standby else "is set to be read-only"
        raise psycopg.errors.ReadOnlySqlTransaction(f"the database {state} and takes no writes")
