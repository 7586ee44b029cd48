"""What all commands share: the ini file, the database, and the output.

Libraries are imported where they are used, so that `forumsvc --help` loads none of them.
"""

import configparser
import json
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from ..settings import Settings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ..db.engine import Database


class CommandError(click.ClickException):
    """A command that fails: one line on standard error, exit status 1."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class Context:
    """One run of the command.

    ini: the path of the ini file, None if none was given; as_json: whether to print JSON.
    """

    ini: str | None = None
    as_json = False

    @cached_property
    def settings(self) -> Settings:
        """The settings of the ini file.

        Raises UsageError if none was given, CommandError if it cannot be read, SettingsError.
        """
        return Settings(self.section("app:main"))

    @property
    def ini_dir(self) -> Path:
        """The ini file's folder, to which relative paths in it refer."""
        return Path(self.ini or ".").resolve().parent

    @property
    def site_url(self) -> str:
        """The URL of the service of this ini file."""
        if self.settings["site.url"]:
            return str(self.settings["site.url"])
        server = self.section("server:main")
        listen = server.get("listen") or f"{server.get('host', '')}:{server.get('port', '')}"
        host, _, port = listen.split()[0].rpartition(":")
        return f"http://{host if host not in ('', '*', '0.0.0.0') else '127.0.0.1'}:{port or 8080}"  # noqa: S104 - read, not bound

    @property
    def ini_path(self) -> Path:
        """The ini file; raises UsageError if none was given."""
        if self.ini is None:
            raise click.UsageError("No ini file is named: forumsvc -c production.ini …")
        return Path(self.ini)

    def section(self, name: str) -> Mapping[str, str]:
        """Return the keys of a section of the ini file; raises the same as `settings`."""
        ini = str(self.ini_path)
        import plaster

        try:
            section: Mapping[str, str] = plaster.get_settings(ini, name)
        except (configparser.Error, UnicodeDecodeError, OSError, plaster.PlasterError) as error:
            raise CommandError(f"{ini}: {error}") from None
        return section

    @cached_property
    def database(self) -> "Database":
        """The database in the settings; not connected yet."""
        from ..database import open_database
        from ..db.connection_options import ConnectionOptions
        from ..services import mails

        try:
            options = ConnectionOptions.from_settings(self.settings).for_commands()
            database = open_database(self.settings.direct_url, options)
            mails.configure(database, self.settings)
        except ModuleNotFoundError as error:
            raise CommandError(
                f"sqlalchemy.url: the driver {error.name} is missing; "
                "install forumsvc[postgresql] for PostgreSQL"
            ) from None
        click.get_current_context().find_root().call_on_close(database.dispose)
        return database

    @property
    def sqlite_file(self) -> Path | None:
        """The file of an SQLite database, else None."""
        name = self.database.url.database
        return Path(name) if self.database.is_sqlite and name else None

    def current_database(self) -> "Database":
        """Return the database; raises CommandError if it is not at this code's revision."""
        from .. import migrate

        revision = migrate.current(self.database.reads)
        if revision != migrate.head():
            raise CommandError(migrate.upgrade_hint(revision, str(self.ini)))
        return self.database

    @contextmanager
    def transaction(self) -> "Iterator[Session]":
        """Begin a transaction on the database; commit it unless the block raises."""
        from ..models import Via
        from ..services.moderation import audit_log

        with self.current_database().session.begin() as db:
            audit_log.set_via(db, Via.CLI)
            yield db

    def print_status(self, line: str) -> None:
        """Print a status line; with `--json` on standard error."""
        click.echo(line, err=self.as_json)

    def output(self, text: str, /, **result: Any) -> None:
        """Print the result: with `--json` `result` as one JSON object, else `text`."""
        click.echo(json.dumps(result) if self.as_json else text)

    def output_table(
        self, headers: Sequence[str], rows: Sequence[Sequence[object]], empty: str, **result: Any
    ) -> None:
        """Print a table, its columns aligned below their headers; with `--json` `result` as one
        JSON object.

        empty: printed if there are no rows.
        """
        if self.as_json or not rows:
            self.output(empty, **result)
        else:
            _print_table(headers, rows)

    def confirm(self, consequences: str, *, yes: bool) -> None:
        """Ask on a terminal whether to continue; raises CommandError if the answer is no.

        consequences: what will be lost, in sentences; yes: the option `--yes`. Raises UsageError
        where there is no terminal to ask on.
        """
        if yes:
            return
        click.echo(consequences, err=True)
        if not sys.stdin.isatty():
            raise click.UsageError("Missing option '--yes': there is no terminal to ask on.")
        if not click.confirm("Go on?", err=True):
            raise CommandError("Nothing was changed.")


pass_context = click.make_pass_decorator(Context, ensure=True)

yes_option = click.option("--yes", is_flag=True, help="Do not ask. Needed without a terminal.")
"""The option of every command that asks for confirmation."""


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


class Progress:
    """A line on the terminal that says how far a command is; nothing in a pipe or a file."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what = what
        self._done, self._total = 0, total
        self._shown = ""

    def __enter__(self) -> Self:
        self.show(0, self._total)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._write("")

    def advance(self, number: int = 1) -> None:
        """Show that `number` more steps are done."""
        self.show(self._done + number, self._total)

    def show(self, done: int, total: int | None) -> None:
        """Show how many steps are done, of how many: without a total in hundreds."""
        self._done = done
        share = f"{100 * done // total}%" if total else str(done // 100 * 100)
        self._write(f"{self._what} {share}")

    def _write(self, text: str) -> None:
        if text != self._shown and sys.stderr.isatty():
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)
            self._shown = text


def _cell(value: object) -> str:
    """Return a value as text of one line without control characters; `-` for none."""
    text = "" if value is None else str(value)
    shown = (char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return "".join(shown) or "-"


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: a Chinese character takes two."""
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char)
        for char in text
    )


def _print_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Align the columns; lines longer than the terminal are not cut, so that they can be copied."""
    lines = [[*map(_cell, row)] for row in (headers, *rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (
            cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)
        )
        click.echo("  ".join(cells).rstrip())
