"""What all commands share: the ini file, the database, and the output.

Libraries are imported where they are used, so that `forumsvc --help` loads none of them.
"""

import configparser
import json
import os
import pwd
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..settings import Settings, ini_path_problem
from .terminal import header, json_value, print_table

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ..db.engine import Database
    from ..db.execution import SqlConnection


class CommandError(click.ClickException):
    """A command that fails: one line on standard error, exit status 1."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class Context:
    """One run of the command.

    ini: the path of the ini file, None if none was given; as_json: whether to print JSON; as_login:
    the maintainer or admin who runs it, for the log, None if they do not say.
    """

    ini: str | None = None
    as_json = False
    as_login: str | None = None

    @cached_property
    def settings(self) -> Settings:
        """The settings of the ini file.

        Raises UsageError if none was given, CommandError if it cannot be read, SettingsError.
        """
        return Settings(self.section("app:main"), self.ini_dir)

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
        ini = self.ini_path
        import plaster

        if problem := ini_path_problem(ini):
            raise CommandError(problem)
        try:
            section: Mapping[str, str] = self._loader.get_settings(name)
        except (configparser.Error, UnicodeDecodeError, OSError, plaster.PlasterError) as error:
            # configparser shows the value, which may be a password.
            message = re.split(r"(?:, found|\.? Raw value): ", str(error), maxsplit=1)[0]
            raise CommandError(f"{ini}: {message}") from None
        return section

    @cached_property
    def _loader(self) -> Any:
        import plaster

        return plaster.get_loader(str(self.ini_path))

    @cached_property
    def database(self) -> "Database":
        """The database in the settings; not connected yet."""
        from ..cache.database import open_database
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
        from ..services.moderation import audit_log

        with self.current_database().session.begin() as db:
            audit_log.set_command(db, *self.who_runs_it(db))
            yield db

    def who_runs_it(self, db: "SqlConnection") -> tuple[str, int | None]:
        """Return, for the log, the login name on this machine, and the id of the user of `--as`.

        Raises NotFound, and CommandError for a user who is not of the staff.
        """
        return _system_user(), self._actor_id(db)

    def _actor_id(self, db: "SqlConnection") -> int | None:
        from ..models.user import MODERATORS
        from ..services.accounts import accounts

        if self.as_login is None:
            return None
        account = accounts.find(db, self.as_login)
        if account.role not in MODERATORS:
            raise CommandError(f"--as: {account.login} is neither a maintainer nor an admin")
        return int(account.id)

    def print_status(self, line: str) -> None:
        """Print a status line; with `--json` on standard error."""
        click.echo(line, err=self.as_json)

    def output(self, text: str, /, **result: Any) -> None:
        """Print the result: with `--json` `result` as one JSON object, else `text`."""
        click.echo(json.dumps(result, default=json_value) if self.as_json else text)

    def output_list(
        self,
        name: str,
        listed: Sequence[Mapping[str, Any]],
        empty: str,
        *,
        columns: Sequence[str] | None = None,
        **others: Any,
    ) -> None:
        """Print a table of things that have the same keys; with `--json` the list `name`.

        empty: printed if there are none; columns: the keys that the table shows, all by default;
        others: further values of the JSON object.
        """
        if self.as_json or not listed:
            self.output(empty, **{name: listed}, **others)
        else:
            keys = listed[0].keys() if columns is None else columns
            rows = [[item[key] for key in keys] for item in listed]
            print_table([*map(header, keys)], rows)

    def output_details(
        self, values: Mapping[str, Any], *lines: tuple[str, object], **others: Any
    ) -> None:
        """Print the values of one thing by name, then lines; with `--json` also others."""
        if self.as_json:
            self.output("", **values, **others)
        else:
            print_table(("Field", "Value"), [*values.items(), *lines])

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


def _system_user() -> str:
    """Return the login name of the person on this machine, also of one who uses sudo."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        name = str(os.getuid())
    return os.environ.get("SUDO_USER") or name
