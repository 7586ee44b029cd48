"""The database's schema, by Alembic: bringing it up to date and asking where it stands."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

_PACKAGE = Path(__file__).parent


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
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def upgrade(engine: Engine, revision: str = "head") -> str | None:
    """Bring the database to `revision` in one transaction and return the revision reached."""
    with engine.begin() as connection:
        command.upgrade(configuration(connection), revision)
    return current(engine)


def downgrade(engine: Engine, revision: str) -> str | None:
    """Take the database back to `revision` (`base` empties it) and return the revision reached."""
    with engine.begin() as connection:
        command.downgrade(configuration(connection), revision)
    return current(engine)
