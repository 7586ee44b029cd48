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
from psycopg import sql
from sqlalchemy import make_url

from forumsvc.db.connect import role_settings
from forumsvc.db.connection_options import ConnectionOptions, Pooler
from forumsvc.settings import Settings
from tests import programs
from tests.system.process import prepare_child, wait_until

READ_ROLE, WRITE_ROLE = "forum_ro", "forum_rw"

_INI = """
[databases]
* = host={host} port={port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = {mode}
default_pool_size = {pool_size}
max_client_conn = 500
server_tls_sslmode = disable
{more}
"""


@dataclass
class PgBouncer:
    """A running PgBouncer, and the URL of the PostgreSQL behind it."""

    direct_url: str
    port: int
    mode: Pooler

    def url(self, role: str, database_url: str = "") -> str:
        """Return the URL of a database through it. database_url: empty for its own one."""
        found = make_url(database_url or self.direct_url)
        found = found.set(host="127.0.0.1", port=self.port, username=role)
        return found.render_as_string(hide_password=False)

    def settings(self, database_url: str = "") -> dict[str, str]:
        """Return the settings of a forum whose database is reached through it."""
        return {
            "sqlalchemy.pooler": self.mode,
            "sqlalchemy.url": self.url(WRITE_ROLE, database_url),
            "sqlalchemy.read_url": self.url(READ_ROLE, database_url),
            "sqlalchemy.direct_url": database_url or self.direct_url,
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
def running(
    direct_url: str, mode: Pooler, *, pool_size: int = 20, more: str = ""
) -> Iterator[PgBouncer]:
    """Start a PgBouncer for all databases of a server, whose roles have the needed settings.

    more: lines of its configuration.
    """
    program = programs.require("pgbouncer")
    target = make_url(direct_url)
    _create_roles(direct_url)
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as free:
        folder, port = Path(name), free.getsockname()[1]
        free.close()
        roles = "".join(f'"{role}" ""\n' for role in (READ_ROLE, WRITE_ROLE, "postgres"))
        (folder / "users").write_text(roles)
        (folder / "pgbouncer.ini").write_text(
            _INI.format(
                host=target.host,
                port=target.port,
                own_port=port,
                folder=folder,
                mode=mode,
                pool_size=pool_size,
                more=more,
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
            yield PgBouncer(direct_url, port, mode)
        finally:
            process.kill()
            process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _create_roles(url: str) -> None:
    """Create the two roles with their settings, once for all processes that share the server."""
    options = ConnectionOptions.from_settings(
        Settings(
            {
                "sqlalchemy.url": url,
                "session.secret": "a secret of at least 32 characters",
                "site.environment": "development",
            }
        )
    )
    plain = make_url(url).set(drivername="postgresql", database="postgres")
    with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as admin:
        # Only one process at a time may change a role.
        admin.execute("SELECT pg_advisory_lock(1)")
        for role, grants in {
            READ_ROLE: ["pg_read_all_data"],
            WRITE_ROLE: ["pg_read_all_data", "pg_write_all_data"],
        }.items():
            known = admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
            if known is None:
                admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
            for grant in grants:
                admin.execute(
                    sql.SQL("GRANT {} TO {}").format(sql.Identifier(grant), sql.Identifier(role))
                )
            for statement in role_settings(options, role, read_only=role == READ_ROLE):
                admin.execute(statement.encode())
