"""The command itself: the ini file, the groups, and the format of errors.

A command's module is imported when it is called: `--help` and `--version` load neither SQLAlchemy
nor Pyramid.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from ..errors import ForumError, IncompatibleDatabase
from ..settings import SettingsError
from .command import SUMMARIES, Group
from .context import CommandError, Context, pass_context

_MODULES = {"check": "doctor"}
"""Of the commands that are in another one's module."""


class Commands(Mapping[str, click.Command]):
    """The commands by name, each imported when it is accessed."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in SUMMARIES:
            raise KeyError(name)
        command = getattr(import_module(f".{_MODULES.get(name, name)}", __package__), name)
        assert isinstance(command, click.Command)  # noqa: S101 - an invariant of ours
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(SUMMARIES)

    def __len__(self) -> int:
        return len(SUMMARIES)


class Root(Group):
    """The top-level group: prints an error as one line and exits with status 1."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summaries of the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([*SUMMARIES.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (ForumError, SettingsError) as error:
            raise CommandError(str(error)) from None
        except IncompatibleDatabase as error:
            raise CommandError(f"The database cannot be used: {error}") from None
        except UnicodeEncodeError:
            raise CommandError("The arguments are not text in UTF-8.") from None
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except Exception as error:
            if (line := _database_error(error)) is None:
                raise
            raise CommandError(line) from None


def _database_error(error: Exception) -> str | None:
    """Return the line for an error of the database or of a migration, None for any other."""
    from alembic.util import CommandError as MigrationError
    from sqlalchemy.exc import DatabaseError, OperationalError

    from ..db.failures import is_outdated_session

    if isinstance(error, MigrationError):
        return str(error)
    # SQLite raises the base class for a file that is no database or is damaged; most of its
    # subclasses mean mistakes in our code.
    if not isinstance(error, DatabaseError):
        return None
    is_away = isinstance(error, OperationalError) or is_outdated_session(error)
    if is_away or type(error) is DatabaseError:
        lines = str(error.orig).strip().splitlines()
        return f"The database cannot be used: {(lines or [type(error.orig).__name__])[0]}"
    return None


@click.group(cls=Root, commands=Commands())
@click.version_option(package_name="forumsvc", prog_name="forumsvc", message="%(prog)s %(version)s")
@click.option(
    "-c",
    "--config",
    "ini",
    metavar="INI",
    type=click.Path(exists=True, dir_okay=False),
    help="The ini file of the service.",
)
@pass_context
def main(context: Context, ini: str | None) -> None:
    """Set up and administer a forum."""
    context.ini = ini
