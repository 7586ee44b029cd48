"""The database's schema, by Alembic: bringing it up to date and asking where it stands."""

import logging
from pathlib import Path
from typing import NamedTuple

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine
from sqlalchemy.exc import DBAPIError

from .db.engine import Database
from .db.schema_lock import Report, change_schema, no_report
from .errors import IncompatibleDatabase

log = logging.getLogger(__name__)

_PACKAGE = Path(__file__).parent


class Step(NamedTuple):
    """A migration: the revision that it leads to, and what it does."""

    revision: str
    summary: str


def script_location() -> Path:
    """Return the folder of the migrations: inside an installed package, beside it in a checkout.

    Raises FileNotFoundError where there is neither.
    """
    for folder in (_PACKAGE / "migrations", _PACKAGE.parent / "alembic"):
        if (folder / "env.py").is_file():
            return folder
    raise FileNotFoundError("the migrations are neither in the package nor beside it")


def configuration(connection: Connection | None = None) -> Config:
    """Return Alembic's configuration, for commands that run on `connection`."""
    config = Config()
    config.set_main_option("script_location", str(script_location()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def head() -> str:
    """Return the newest revision that the code knows."""
    revision = ScriptDirectory.from_config(configuration()).get_current_head()
    assert revision is not None, "there is at least one migration"  # noqa: S101 - an invariant of ours
    return revision


def current(engine: Engine) -> str | None:
    """Return the revision that the database is at, or None where it was never set up."""
    if _is_missing_file(engine.url):
        return None
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def _is_missing_file(url: URL) -> bool:
    # Connecting would make the file, and leave it there empty.
    name = url.database or ""
    is_file = url.get_backend_name() == "sqlite" and not name.startswith((":", "file:"))
    return is_file and bool(name) and not Path(name).exists()


def is_behind(revision: str | None) -> bool:
    """Return whether a database at this revision lacks something that the code needs.

    One at a revision that the code does not know is of newer code, and lacks nothing.
    """
    script = ScriptDirectory.from_config(configuration())
    known = {one.revision for one in script.walk_revisions()}
    return revision is None or (revision in known and revision != script.get_current_head())


def advice(revision: str | None, ini: str) -> str:
    """Return what to tell an admin whose database is at another revision than the code's."""
    state = f"at revision {revision}" if revision else "not set up"
    return (
        f"The database is {state}, and this is the code of revision {head()}: "
        f"run forumsvc -c {ini} db upgrade"
    )


def obstacle(database: Database, ini: str) -> str | None:
    """Return what an admin must do before a service can run on the database, None for nothing.

    A database that does not answer is no obstacle, as it may come later: that is logged in one
    line. No connection is left open.
    """
    try:
        revision = current(database.reads)
    except IncompatibleDatabase as error:
        return str(error)
    except DBAPIError as error:
        log.warning("the database does not answer: %s", " ".join(str(error.orig).split()))
        return None
    finally:
        database.dispose()
    return advice(revision, ini) if is_behind(revision) else None


def pending(engine: Engine) -> list[Step]:
    """Return what `upgrade` would run, in order.

    Nothing for a database at a revision that the code does not know.
    """
    return _pending(current(engine), "head")


def _pending(reached: str | None, target: str) -> list[Step]:
    script = ScriptDirectory.from_config(configuration())
    if reached is not None and reached not in {one.revision for one in script.walk_revisions()}:
        return []
    scripts = reversed([*script.iterate_revisions(target, reached or "base")])
    return [Step(one.revision, " ".join((one.doc or "").split())) for one in scripts]


def upgrade(engine: Engine, revision: str = "head", *, report: Report = no_report) -> str | None:
    """Bring the database to `revision` and return the revision reached.

    Several processes may call this at the same time; one after the other does what is left. On
    PostgreSQL each migration is a transaction, so an interrupted upgrade goes on where it stopped;
    on SQLite all are one.
    tell: called with lines for people: what will be run, and why it waits.
    Raises SchemaBusy where others hold the locks that a migration needs.
    """

    def run(connection: Connection) -> None:
        reached = MigrationContext.configure(connection).get_current_revision()
        for step in _pending(reached, revision):
            report(f"To run: {step.revision} {step.summary}")
        _end_transaction(connection)
        command.upgrade(configuration(connection), revision)

    change_schema(engine, run, report)
    return current(engine)


def downgrade(engine: Engine, revision: str) -> str | None:
    """Take the database back to `revision` (`base` empties it) and return the revision reached.

    Raises SchemaBusy as `upgrade` does.
    """
    change_schema(engine, lambda db: command.downgrade(configuration(db), revision), no_report)
    return current(engine)


def _end_transaction(connection: Connection) -> None:
    """End the transaction of a SELECT, so that each migration begins its own."""
    if connection.dialect.name == "postgresql":
        connection.commit()
