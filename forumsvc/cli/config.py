"""`forumsvc config …`: the configuration files of an installation."""

import os
import secrets
from importlib.resources import files
from pathlib import Path

import click

from .command import Group
from .context import CommandError, Context, pass_context

EXAMPLES = (
    "production.ini",
    "development.ini",
    *("nginx.conf", "haproxy.cfg", "haproxy-postgresql.cfg", "pgbouncer.ini", "patroni.yml"),
    *("forumsvc.service", "forumsvc.socket", "forumsvc-failed@.service", "logrotate.conf"),
    *("Containerfile", "compose.yaml"),
    *("alerts.yml", "grafana-dashboard.json"),
)


config = Group("config")


@config.command()
@click.argument("path", metavar="[FILE]", type=click.Path(path_type=Path), default="production.ini")
@click.option("--site-url", metavar="URL", help="Where clients reach it: https://forum.example.org")
@click.option("--database-url", metavar="URL", help="postgresql://USER:PASSWORD@HOST/DATABASE")
@pass_context
def init(context: Context, path: Path, site_url: str | None, database_url: str | None) -> None:
    """Write an ini file for production, with a new secret, that only its owner can read.

    Values without an option are taken from the environment at each start: SITE_URL, DATABASE_URL.
    An existing file is not overwritten.
    """
    values = {
        "SITE_URL": site_url,
        "DATABASE_URL": database_url,
        "SESSION_SECRET": secrets.token_urlsafe(32),
    }
    text = example("production.ini")
    for name, value in values.items():
        if value is not None:
            _check(name, value)
            text = text.replace(f"${{{name}}}", value.replace("%", "%%"))
    try:
        with open(path, "x", encoding="utf-8", opener=_owner_only) as file:
            file.write(text)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from None
    missing = [name for name, value in values.items() if value is None]
    needs = f" It needs {' and '.join(missing)} in the environment." if missing else ""
    context.output(
        f"Wrote {path} with a fresh session.secret.{needs} Next: forumsvc -c {path} db upgrade",
        path=str(path),
        environment=missing,
    )


@config.command("print")
@click.argument("name", type=click.Choice(EXAMPLES))
@pass_context
def print_example(context: Context, name: str) -> None:
    """Print an example file: an ini file, or one for a program beside the service."""
    text = example(name)
    context.output(text.rstrip("\n"), name=name, text=text)


def example(name: str) -> str:
    """Return the text of one of EXAMPLES."""
    return files("forumsvc.examples").joinpath(name).read_text(encoding="utf-8")


def _check(name: str, value: str) -> None:
    if not value.isprintable():
        raise CommandError(f"{name}: must be one line without control characters.")


def _owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
