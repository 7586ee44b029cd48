"""Opens connections to PostgreSQL, and checks their session settings.

The settings are part of the startup packet (`options`): they cost no statement and last for the
whole session. Options in the URL come after them and override them. A pooler passes on no `options`
and mixes sessions: behind one the settings must be those of the role (`role_settings`), and no
statement is prepared.
"""

import logging
import secrets
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Dialect, Engine, event

from ..errors import IncompatibleDatabase
from . import timelines
from .connection_options import ConnectionOptions, Timeouts

log = logging.getLogger(__name__)

Connection = psycopg.Connection[Any]

MINIMUM_VERSION = 130000
"""The first version with `hash_mem_multiplier`."""

_MARKER = "forumsvc.connection"
_UTC = frozenset({"utc", "etc/utc", "gmt", "etc/gmt"})
_ANSWERS = {
    "timezone": "UTC",
    "datestyle": "ISO, MDY",
    "intervalstyle": "postgres",
    "standard_conforming_strings": "on",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "default_transaction_isolation": "read committed",
}
"""What an administrator may have set otherwise for the database or the role, and which changes what
statements mean, or the texts that psycopg reads."""
_REPORTED = {"TimeZone": "PGTZ", "DateStyle": "PGDATESTYLE", "IntervalStyle": None} | {
    "standard_conforming_strings": None
}
"""Those that the server reports by itself, and the variable of the environment that libpq sends:
it overrides the options of the startup packet."""
_KEEPALIVE_INTERVAL_SECONDS = 5
_KEEPALIVE_PROBES = 3
_SESSION = f"""
SELECT current_setting('{_MARKER}', true),
       current_schema(),
       current_setting('transaction_read_only') = 'on',
       pg_is_in_recovery(),
       EXISTS (SELECT FROM pg_prepared_statements),
       (SELECT system_identifier FROM pg_control_system()),
       CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END
"""  # noqa: S608  # the marker is a constant
_READ_LOCK_FRACTION = 4
"""By how much shorter sessions that only read wait for a lock: they wait for nothing but a table
that is locked as a whole, behind which every other reader would hold a thread."""


def attach(engine: Engine, options: ConnectionOptions, *, read_only: bool) -> None:
    """Let an engine open its connections by `open_connection`."""

    @event.listens_for(engine, "do_connect")
    def do_connect(dialect: Dialect, record: Any, args: Any, parameters: dict[str, Any]) -> Any:
        return open_connection(parameters, options, read_only=read_only)


def open_connection(
    parameters: Mapping[str, Any], options: ConnectionOptions, *, read_only: bool
) -> Connection:
    """Open a connection and check its session.

    A primary that was replaced by another is passed over, where the URL names several hosts.

    parameters: of psycopg, from the URL; read_only: whether the database is to refuse writes.

    Raises psycopg.Error, of SQLSTATE 25006 where writes are wanted and the server takes none, and
    IncompatibleDatabase.
    """
    while True:
        try:
            return _open(parameters, options, read_only=read_only)
        except OldPrimary as old:
            log.error("%s", old)
            rest = [pair for pair in hosts_of(parameters) if pair != (old.host, old.port)]
            if not rest or len(rest) == len(hosts_of(parameters)):
                raise
            names, ports = zip(*rest, strict=True)
            parameters = {**parameters, "host": ",".join(names), "port": ",".join(ports)}


class OldPrimary(psycopg.OperationalError):
    """A server that takes writes, although another was promoted in its place."""

    def __init__(self, host: str, port: str, timeline: int) -> None:
        super().__init__(
            f"{host}:{port} is an old primary (timeline {timeline}, and the database is at "
            f"{timelines.highest()}) and is not used: stop it, or make it a standby"
        )
        self.host = host
        self.port = port


def hosts_of(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return host and port of each server that psycopg's parameters name."""
    hosts = str(parameters.get("host") or "").split(",")
    ports = str(parameters.get("port") or "5432").split(",")
    return [*zip(hosts, ports * len(hosts) if len(ports) == 1 else ports, strict=True)]


def _open(
    parameters: Mapping[str, Any], options: ConnectionOptions, *, read_only: bool
) -> Connection:
    marker = secrets.token_hex(8)
    settings = session_settings(options.timeouts, read_only=read_only)
    arguments = {
        "fallback_application_name": "forumsvc",
        "connect_timeout": options.timeouts.connect,
        **_tcp(options.timeouts),
        **parameters,
        # psycopg prepares nothing; `libpq_statements` does.
        "prepare_threshold": None,
        "client_encoding": "UTF8",
    }
    if not options.pooler:
        options_of_session = {**settings, _MARKER: marker}
        startup = " ".join(
            f"-c {name}={value.replace(' ', chr(92) + ' ')}"
            for name, value in options_of_session.items()
        )
        arguments["options"] = f"{startup} {parameters.get('options', '')}".strip()
    if read_only and arguments.get("target_session_attrs") == "read-write":
        # libpq would refuse the session, which is read-only by our own settings.
        arguments["target_session_attrs"] = "primary"
    try:
        connection = Connection.connect(**arguments)
    except psycopg.OperationalError as error:
        reason = _refused_options(str(error), str(arguments.get("dbname")))
        if reason is not None:
            raise IncompatibleDatabase(reason) from error
        raise
    try:
        connection.autocommit = True
        _check_encoding(connection)
        if options.pooler:
            _check_role(connection, session_settings(options.timeouts, read_only=False))
        _check(connection, None if options.pooler else marker, read_only=read_only)
        connection.autocommit = False
    except BaseException:
        connection.close()
        raise
    return connection


def role_settings(options: ConnectionOptions, role: str, database: str) -> list[str]:
    """Return the ALTER ROLE statements for a role that connects to a database by a pooler."""
    statement = sql.SQL("ALTER ROLE {} IN DATABASE {} SET {} = {}")
    names = sql.Identifier(role), sql.Identifier(database)
    return [
        statement.format(*names, sql.SQL(name), sql.Literal(value)).as_string()
        for name, value in session_settings(options.timeouts, read_only=False).items()
    ]


def session_settings(timeouts: Timeouts, *, read_only: bool) -> dict[str, str]:
    """Return the settings of a session; times in milliseconds, 0 for no limit."""
    lock = timeouts.lock
    if lock is not None and read_only:
        lock /= _READ_LOCK_FRACTION
    settings = {
        **_ANSWERS,
        # Each statement is planned once: the best index depends on the list, not on parameters.
        "plan_cache_mode": "force_generic_plan",
        # Memory to hash the ids of all hidden topics, up to two million (`queries.topics`): with
        # less, each row at a large offset would be compared with every one of them.
        "hash_mem_multiplier": "16",
        "lock_timeout": _milliseconds(lock),
        "statement_timeout": _milliseconds(timeouts.statement),
        "idle_in_transaction_session_timeout": _milliseconds(timeouts.idle_transaction),
    }
    return {**settings, "default_transaction_read_only": "on"} if read_only else settings


def _milliseconds(seconds: float | None) -> str:
    return "0" if seconds is None else str(max(1, round(seconds * 1000)))


def _tcp(timeouts: Timeouts) -> dict[str, int]:
    """Return libpq's parameters for detecting a server that is gone."""
    if timeouts.keepalive is None:
        result = {"keepalives": 0}
    else:
        result = {
            "keepalives_idle": timeouts.keepalive,
            "keepalives_interval": _KEEPALIVE_INTERVAL_SECONDS,
            "keepalives_count": _KEEPALIVE_PROBES,
        }
    if timeouts.tcp_user is not None:
        result["tcp_user_timeout"] = timeouts.tcp_user * 1000
    return result


def _refused_options(message: str, database: str) -> str | None:
    """Return why a server refused the session settings at connect, None where it did not."""
    if "MULE_INTERNAL" in message:  # which PostgreSQL cannot convert for the session
        return _wrong_encoding(database, "MULE_INTERNAL")
    if "startup parameter" in message:
        return _pooled("refuses the session settings (startup parameter options)")
    if "hash_mem_multiplier" in message or "plan_cache_mode" in message:
        return "PostgreSQL 13 or newer is needed."
    return None


def _pooled(subject: str) -> str:
    return (
        f"What answers under sqlalchemy.url {subject}: connect to PostgreSQL itself, or set "
        "sqlalchemy.pooler = true for a PgBouncer."
    )


def _check_role(connection: Connection, settings: Mapping[str, str]) -> None:
    """Raise IncompatibleDatabase if the role does not have the settings."""
    query = "SELECT lower(name), setting FROM pg_settings WHERE lower(name) = ANY(%s)"
    seen = dict(connection.execute(query, [[*settings]]).fetchall())
    for name, value in settings.items():
        if not _is_same(name, seen[name], value):
            raise IncompatibleDatabase(
                f"The role {connection.info.user} has {name} = {seen[name]} behind the pooler and "
                f"needs {value}: run the statements that forumsvc db role-settings prints, and "
                "RECONNECT in PgBouncer."
            )


def _is_same(name: str, present: str, value: str) -> bool:
    if name == "timezone":
        return present.lower() in _UTC
    # Of DateStyle the first word is how dates are shown; the other one is for dates that are read.
    return present.startswith("ISO") if name == "datestyle" else present == value


def _check_encoding(connection: Connection) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise IncompatibleDatabase(_wrong_encoding(f"{connection.info.dbname}", encoding or "?"))


def _wrong_encoding(database: str, encoding: str) -> str:
    return (
        f"The database {database} has the encoding {encoding}, which cannot hold every text, and "
        "must have UTF8. An encoding cannot be changed: make another database by CREATE DATABASE "
        "name TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8', and name it in sqlalchemy.url."
    )


def _check(connection: Connection, marker: str | None, *, read_only: bool) -> None:
    """Raise IncompatibleDatabase, or psycopg.Error, where the session is not as it must be.

    marker: the one of the startup packet; None behind a pooler.
    """
    version = connection.info.server_version
    if version < MINIMUM_VERSION:
        raise IncompatibleDatabase(f"PostgreSQL 13 or newer is needed; this is {version // 10000}.")
    row = connection.execute(_SESSION, prepare=False).fetchone()
    assert row is not None, "a SELECT without FROM has a row"  # noqa: S101
    arrived, schema, refuses_writes, is_standby, is_shared, cluster, log_file = row
    if marker is not None and arrived != marker:
        raise IncompatibleDatabase(
            _pooled("drops the session settings (startup parameter options)")
        )
    if marker is not None and is_shared:
        raise IncompatibleDatabase(_pooled("hands out sessions that others have used"))
    for name, variable in _REPORTED.items():
        value, needed = connection.info.parameter_status(name) or "", _ANSWERS[name.lower()]
        if not _is_same(name.lower(), value, needed):
            place = "the options in sqlalchemy.url"
            place += f" or {variable} out of the environment" if variable else ""
            raise IncompatibleDatabase(
                f"{name} of the session must be {needed} and is {value}: take it out of {place}."
            )
    if schema is None:
        raise IncompatibleDatabase(
            "search_path names no schema that is there and that the role "
            f"{connection.info.user} may use: CREATE SCHEMA, GRANT USAGE ON SCHEMA, or correct "
            "search_path (of the role, of the database, or in the options of sqlalchemy.url)."
        )
    if marker is not None and read_only and not refuses_writes:
        raise IncompatibleDatabase(
            "Sessions that only read can write: take default_transaction_read_only out of the "
            "options in sqlalchemy.url."
        )
    if not read_only and refuses_writes:
        state = "is a standby" if is_standby else "is set to be read-only"
        raise psycopg.errors.ReadOnlySqlTransaction(f"the database {state} and takes no writes")
    if log_file is not None:
        timeline = int(log_file[:8], 16)
        if timelines.is_outdated(cluster, timeline):
            raise OldPrimary(connection.info.host, str(connection.info.port), timeline)
