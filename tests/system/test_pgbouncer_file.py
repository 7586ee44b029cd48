"""The shipped pgbouncer.ini in PgBouncer."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from tests import programs
from tests.system.proxies import free_port, running, shipped


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PgBouncer, which does not run as root, can read."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_the_admin_of_the_file_may_reconnect_and_nobody_else(folder):
    program, port = programs.require("pgbouncer"), free_port()
    users = folder / "userlist.txt"
    users.write_text('"pgbouncer_admin" "secret"\n"forum" "other"\n')
    ini = shipped(
        "pgbouncer.ini",
        folder,
        **{
            "listen_port = 6432": f"listen_port = {port}\nunix_socket_dir =",
            "/etc/pgbouncer/userlist.txt": str(users),
        },
    )
    user = "nobody" if os.getuid() == 0 else None
    url = f"host=127.0.0.1 port={port} dbname=pgbouncer"
    with running(port, folder / "log", program, str(ini), user=user):
        admin = f"{url} user=pgbouncer_admin password=secret"
        with psycopg.connect(admin, autocommit=True) as db:
            assert db.execute("RECONNECT").statusmessage == "RECONNECT"
        with pytest.raises(psycopg.OperationalError, match="not allowed"):
            psycopg.connect(f"{url} user=forum password=other", autocommit=True).close()
