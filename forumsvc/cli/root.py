"""The command itself: which ini file, which group, and what an error looks like.

A command's module is imported when it is called: `--help` and `--version` load neither SQLAlchemy
nor Pyramid.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from ..errors import ForumError, IncompatibleDatabase
from ..settings import SettingsError
from .command import Group
from .context import Context, Refused, pass_context

SUMMARIES = {
    "cache": "End cached pages after a change by SQL.",
    "check": "Find what the service would refuse at its start, or fail at in use.",
    "config": "Write a production.ini; print the example files.",
    "client": "Register, list and remove OAuth clients.",
    "content": "Look after the texts.",
    "db": "Set up, upgrade and check the database.",
    "demo": "Fill a database without users with a demo community.",
    "node": "Add, list, edit and delete nodes.",
    "photos": "Look after the pictures.",
    "settings": "Print every setting in force.",
    "token": "Give out, list, revoke and purge access tokens.",
    "user": "Add, find, trust, stop and delete users.",
}
"""The commands, each the attribute of that name of the module of that name; what they are for."""


class Commands(Mapping[str, click.Command]):
    """The commands by name, each imported when it is taken."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in SUMMARIES:
            raise KeyError(name)
        command = getattr(import_module(f".{name}", __package__), name)
        assert isinstance(command, click.Command)  # noqa: S101 - an invariant of ours
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(SUMMARIES)

    def __len__(self) -> int:
        return len(SUMMARIES)


class Root(Group):
    """The outermost group: turns what refuses a request into one line and exit 1."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command is for, without importing it."""
        with formatter.section("Commands"):
            formatter.write_dl([*SUMMARIES.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except (ForumError, SettingsError) as error:
            raise Refused(str(error)) from None
        except IncompatibleDatabase as error:
            raise Refused(f"The database cannot be used: {error}") from None
        except UnicodeEncodeError:
            raise Refused("What was given is not text in UTF-8.") from None
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except Exception as error:
            if (line := _database_refusal(error)) is None:
                raise
            raise Refused(line) from None


def _database_refusal(error: Exception) -> str | None:
    """Return the line for an error of the database or of a migration, None for any other."""
    from alembic.util import CommandError
    from sqlalchemy.exc import DatabaseError, OperationalError

    from ..db.failures import is_outdated_session

    if isinstance(error, CommandError):
        return str(error)
    # The bare class is SQLite's for a file that is no database, or a broken one; the other classes
    # below it are for mistakes of ours.
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
