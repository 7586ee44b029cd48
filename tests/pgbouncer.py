"""A real PgBouncer in front of the tests' PostgreSQL, for the tests that ask for one."""

import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psycopg
from sqlalchemy import URL, make_url

from forumsvc.db import grants
from forumsvc.db.connect import role_settings
from forumsvc.db.connection_options import ConnectionOptions
from forumsvc.db.grants import Roles
from forumsvc.settings import Settings
from tests import programs
from tests.system.process import prepare_child, wait_until

ROLE = "forum_pooled"
_TIMEOUT = {"database.lock_timeout_seconds": "10"}
"""As tests.functional.forum has it."""

_INI = """
[databases]
* = host={host} port={port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = {pool_size}
max_client_conn = 500
server_tls_sslmode = disable
"""


@dataclass
class PgBouncer:
    """A running PgBouncer, and the URL of the PostgreSQL behind it."""

    direct_url: str
    port: int

    def url(self, database_url: str = "") -> str:
        """Return the URL of a database through it. database_url: empty for its own one."""
        found = make_url(database_url or self.direct_url)
        found = found.set(host="127.0.0.1", port=self.port, username=ROLE)
        return found.render_as_string(hide_password=False)

    def settings(self, database_url: str = "") -> dict[str, str]:
        """Return the settings of a forum whose database is reached through it."""
        direct_url = database_url or self.direct_url
        _prepare_role(direct_url)
        return {
            "sqlalchemy.pooler": "true",
            "sqlalchemy.url": self.url(database_url),
            "sqlalchemy.direct_url": direct_url,
            **_TIMEOUT,
        }


@cache
def version() -> tuple[int, ...]:
    """Return the version of the program, (0,) where it is not installed."""
    program = programs.find("pgbouncer")
    if program is None:
        return (0,)
    shown = subprocess.run([program, "--version"], capture_output=True, check=True, text=True)
    return tuple(map(int, shown.stdout.split("\n")[0].split()[1].split(".")))


@contextmanager
def running(direct_url: str, *, pool_size: int = 20) -> Iterator[PgBouncer]:
    """Start a PgBouncer with transaction pooling for all databases of a server."""
    program = programs.require("pgbouncer")
    target = make_url(direct_url)
    _prepare_role(direct_url)
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as free:
        folder, port = Path(name), free.getsockname()[1]
        free.close()
        (folder / "users").write_text(f'"{ROLE}" ""\n')
        (folder / "pgbouncer.ini").write_text(
            _INI.format(
                host=target.host,
                port=target.port,
                own_port=port,
                folder=folder,
                pool_size=pool_size,
            )
        )
        folder.chmod(0o755)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [program, str(folder / "pgbouncer.ini")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=prepare_child,
                user="nobody" if os.getuid() == 0 else None,  # it refuses to run as root
            )
        try:
            wait_until(lambda: _answers(port), "PgBouncer answers")
            yield PgBouncer(direct_url, port)
        finally:
            process.kill()
            process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@cache
def _prepare_role(url: str) -> None:
    """Create the role, once for all processes that share the server, with its settings."""
    settings = {
        "sqlalchemy.url": url,
        "session.secret": "a secret of at least 32 characters",
        "site.environment": "development",
        **_TIMEOUT,
    }
    options = ConnectionOptions.from_settings(Settings(settings))
    target = make_url(url).set(drivername="postgresql")
    plain = target.set(database="postgres").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as admin:
        # Only one process at a time may change a role.
        admin.execute("SELECT pg_advisory_lock(1)")
        if admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone() is None:
            admin.execute(f"CREATE ROLE {ROLE} LOGIN".encode())
        for statement in role_settings(options, ROLE, str(target.database)):
            admin.execute(statement.encode())
    with psycopg.connect(target.render_as_string(hide_password=False), autocommit=True) as owner:
        if owner.execute("SELECT to_regclass('audit_log')").fetchone() != (None,):
            for statement in _grants(target):
                owner.execute(statement.encode())


def _grants(target: URL) -> list[str]:
    """Return what `forumsvc db grants` prints: the service needs no more rights."""
    roles = Roles(str(target.database), "public", str(target.username), ROLE)
    tables = {"append_only": ["audit_log"], "read_only": ["alembic_version"]}
    return grants.statements(roles, **tables)
