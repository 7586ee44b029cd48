"""Migrations of the database's schema, by Alembic: their state, upgrade and downgrade.

Alembic is imported where it migrates: a server process, which only asks for the state, would hold
15 MB of it.
"""

import logging
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import URL, Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from .db.engine import Database
from .db.failures import is_forbidden
from .db.schema_lock import Report, change_schema, no_report
from .errors import IncompatibleDatabase, single_line_message

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

log = logging.getLogger(__name__)

APPEND_ONLY = ("audit_log",)
READ_ONLY = ("alembic_version",)
"""Tables to which a role that only runs the service adds rows, or from which it only reads."""

_PACKAGE = Path(__file__).parent


class Step(NamedTuple):
    """A migration: its revision, and a line that describes it."""

    revision: str
    summary: str


def script_location() -> Path:
    """Return the folder of the migrations: in the package, or beside it in a checkout.

    Raises FileNotFoundError where there is neither.
    """
    for folder in (_PACKAGE / "migrations", _PACKAGE.parent / "alembic"):
        if (folder / "env.py").is_file():
            return folder
    raise FileNotFoundError("the migrations are neither in the package nor beside it")


def alembic_config(connection: Connection | None = None) -> "Config":
    """Return Alembic's configuration, for commands on `connection`."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(script_location()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@cache
def _scripts(folder: Path) -> "ScriptDirectory":
    """Return the migrations of a folder, which are read and compiled once in a process."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(alembic_config())


@cache
def _revisions(folder: Path) -> list[str]:
    """Return the revisions in a folder, in order: the names of the files begin with them."""
    files = (folder / "versions").glob("[!_]*.py")
    return sorted(file.stem.partition("_")[0] for file in files)


def head() -> str:
    """Return the newest revision of the code."""
    return _revisions(script_location())[-1]


def current(engine: Engine) -> str | None:
    """Return the revision of the database, or None where it was never set up."""
    if _is_missing_file(engine.url):
        return None
    with engine.connect() as connection:
        return _current(connection)


def _current(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision


def _is_missing_file(url: URL) -> bool:
    # Connecting would create an empty file.
    name = url.database or ""
    is_file = url.get_backend_name() == "sqlite" and not name.startswith((":", "file:"))
    return is_file and bool(name) and not Path(name).exists()


FORMER_REVISIONS = tuple(f"{number:04}" for number in range(2, 14))
"""Those of before the first release, whose migrations 0001 has now; the next one is 0014."""


def is_known(revision: str) -> bool:
    """Return whether this code can load a dump of a database at this revision."""
    return revision in (*_revisions(script_location()), *FORMER_REVISIONS)


def is_behind(revision: str | None) -> bool:
    """Return whether a database at this revision needs an upgrade for this code.

    A revision that the code does not know belongs to newer code, and needs none.
    """
    older = (*_revisions(script_location())[:-1], *FORMER_REVISIONS)
    return revision is None or revision in older


def upgrade_hint(revision: str | None, ini: str) -> str:
    """Return a message for an admin whose database needs an upgrade."""
    if revision in FORMER_REVISIONS:
        return _former(revision)
    state = f"at revision {revision}" if revision else "not set up"
    return (
        f"The database is {state}, and this is the code of revision {head()}: "
        f"run forumsvc -c {ini} db upgrade"
    )


def _former(revision: str) -> str:
    return (
        f"The database is at revision {revision} of before the first release: make a dump with the "
        "forumsvc that made it, and load it into a new database"
    )


def startup_problem(database: Database, ini: str) -> str | None:
    """Return what keeps the service from starting on a database, None for nothing.

    A database that does not answer is only logged, in one line, for it may come up later, and so
    are missing rights without which the service can begin. No connection is left open.
    """
    try:
        revision = current(database.reads)
        if not is_behind(revision) and (problem := missing_grants(database, ini)):
            log.error("%s", problem)
    except IncompatibleDatabase as error:
        return str(error)
    except DBAPIError as error:
        if is_forbidden(error) and (problem := missing_grants(database, ini)):
            return problem
        log.warning("the database does not answer: %s", single_line_message(error.orig or error))
        return None
    finally:
        database.dispose()
    return upgrade_hint(revision, ini) if is_behind(revision) else None


def missing_grants(database: Database, ini: str) -> str | None:
    """Return which rights the role lacks, and the command that gives them; None for nothing."""
    if database.is_sqlite:
        return None
    from .db import grants

    with database.reads.connect() as connection:
        return grants.problem(connection, ini, append_only=APPEND_ONLY, read_only=READ_ONLY)


def pending(engine: Engine) -> list[Step]:
    """Return the migrations that `upgrade` would run, in order.

    None for a database at a revision that the code does not know. Raises IncompatibleDatabase for
    one of before the first release.
    """
    return _pending(current(engine), "head")


def _pending(reached: str | None, target: str) -> list[Step]:
    if reached in FORMER_REVISIONS:
        raise IncompatibleDatabase(_former(reached))
    folder = script_location()
    if reached is not None and reached not in _revisions(folder):
        return []
    scripts = reversed([*_scripts(folder).iterate_revisions(target, reached or "base")])
    return [Step(script.revision, " ".join((script.doc or "").split())) for script in scripts]


def upgrade(engine: Engine, revision: str = "head", *, report: Report = no_report) -> str | None:
    """Upgrade the database to `revision` and return its new revision.

    Several processes may call this at the same time; each runs what is then pending. On PostgreSQL
    each migration is a transaction, so an interrupted upgrade can be continued; on SQLite all
    migrations are one transaction.
    report: called with lines for the administrator: what will be run on a database that is set up
    already, and why it waits.
    Raises SchemaBusy where the locks that a migration needs are held too long, and
    IncompatibleDatabase for a database of before the first release.
    """
    from alembic import command

    def run(connection: Connection) -> None:
        reached = _current(connection)
        # All tables of a new database are one step for who reads it.
        for step in _pending(reached, revision) if reached else ():
            report(f"To run: {step.revision} {step.summary}")
        _end_transaction(connection)
        command.upgrade(alembic_config(connection), revision)

    change_schema(engine, run, report)
    return current(engine)


def downgrade(engine: Engine, revision: str) -> str | None:
    """Downgrade the database to `revision` (`base`: no tables) and return its new revision.

    Raises SchemaBusy as `upgrade` does.
    """
    from alembic import command

    change_schema(engine, lambda db: command.downgrade(alembic_config(db), revision), no_report)
    return current(engine)


def _end_transaction(connection: Connection) -> None:
    """End the transaction of the SELECT before, so that each migration has its own."""
    if connection.dialect.name == "postgresql":
        connection.commit()
