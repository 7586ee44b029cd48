"""The command itself: the ini file, the groups, and the format of errors.

A command's module is imported when it is called: `--help` and `--version` load neither SQLAlchemy
nor Pyramid.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from .command import SUMMARIES, Group
from .context import Context, pass_context
from .failures import command_errors

_MODULES = {"check": "doctor", "load": "dump", "restore": "backup"}
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
        with command_errors():
            return super().invoke(ctx)


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
@click.option(
    "--as",
    "as_login",
    metavar="LOGIN",
    help="Who you are in the forum, for the log: a maintainer or an admin.",
)
@pass_context
def main(context: Context, ini: str | None, as_login: str | None) -> None:
    """Set up and administer a forum."""
    context.ini, context.as_login = ini, as_login
