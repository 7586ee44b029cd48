"""Options that several commands have, and what their values must be."""

import sys
from collections.abc import Callable, Iterable
from datetime import datetime

import click

from .. import clock
from ..errors import Invalid
from ..schemas.restrictions import MAX_DAYS, MAX_NOTE, MAX_REASON
from ..services.posts.short_texts import validate_lines
from .context import CommandError


def one_of(words: Iterable[str]) -> click.Choice[str]:
    """Return the type of an option whose value is one of some words, such as those of an enum."""
    return click.Choice([*map(str, words)])


yes_option = click.option("--yes", is_flag=True, help="Do not ask. Needed without a terminal.")
"""The option of every command that asks for confirmation."""

logins_argument = click.argument("logins", metavar="LOGIN...", nargs=-1, required=True)
"""Several users, of whom all are dealt with in one transaction, or none."""

limit_option = click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="At most so many.",
)
days_option = click.option(
    "--days", type=click.IntRange(1, MAX_DAYS), metavar="N", help="For so long; else for ever."
)


def password_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--password` and `--password-stdin` to a command that calls `read_password`."""
    command = click.option(
        "--password-stdin",
        is_flag=True,
        help="Read it from standard input: its first line, without the line break.",
    )(command)
    return click.option(
        "--password",
        metavar="P",
        help="Asked for on a terminal where left out. Others on this machine see it (ps).",
    )(command)


def read_password(password: str | None, password_stdin: bool) -> str:
    """Return the password of the options; without one, prompt for it twice, hidden.

    Raises UsageError if both are given or there is no terminal.
    """
    if password is not None and password_stdin:
        raise click.UsageError("Give --password or --password-stdin, not both.")
    if password_stdin:
        return read_line()
    if password is not None:
        return password
    if not sys.stdin.isatty():
        raise click.UsageError(
            "Missing option '--password' or '--password-stdin': there is no terminal to ask on."
        )
    entered: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return entered


def read_line() -> str:
    """Return the first line of standard input without its line break; fails if there is none."""
    line = sys.stdin.readline()
    if not line:
        raise CommandError("Standard input is empty.")
    return line.removesuffix("\n").removesuffix("\r")


def parse_moment(name: str, text: str | None) -> datetime | None:
    """Return the time in an option of that name, None without one. Raises Invalid."""
    if text is None:
        return None
    moment = clock.parse_rfc3339(text)
    if moment is None:
        raise Invalid(name, "must be a time such as 2026-11-21T08:00:00Z")
    return moment


def check_texts(reason: str, note: str = "", *, is_required: bool = True) -> tuple[str, str]:
    """Return the texts as the API would take them. Raises Invalid."""
    reason = validate_lines("reason", reason, MAX_REASON)
    if is_required and not reason:
        raise Invalid("reason", "must not be empty")
    return reason, validate_lines("note", note, MAX_NOTE)
