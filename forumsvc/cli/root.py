"""The command itself: which ini file, which group, and what an error looks like."""

from typing import Any

import click
from alembic.util import CommandError
from sqlalchemy.exc import DatabaseError, OperationalError

from ..errors import ForumError
from ..settings import SettingsError
from .client import client
from .command import Group
from .content import content
from .context import Context, Refused, pass_context
from .db import db
from .demo import demo
from .node import node
from .photos import photos
from .settings import settings
from .token import token
from .user import user


class Root(Group):
    """The outermost group: turns what refuses a request into one line and exit 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except (ForumError, SettingsError, CommandError) as error:
            raise Refused(str(error)) from None
        except UnicodeEncodeError:
            raise Refused("What was given is not text in UTF-8.") from None
        except DatabaseError as error:
            # The bare class is SQLite's for a file that is no database, or a broken one; the
            # other classes below it are for mistakes of ours.
            if isinstance(error, OperationalError) or type(error) is DatabaseError:
                raise Refused(f"The database cannot be used: {_first_line(error)}") from None
            raise


def _first_line(error: DatabaseError) -> str:
    lines = str(error.orig).strip().splitlines()
    return lines[0] if lines else type(error.orig).__name__


@click.group(cls=Root)
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


for command in (db, demo, user, node, client, token, content, photos, settings):
    main.add_command(command)
