"""`forumsvc api`: any endpoint of the API, for what has no command of its own."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from .api_client import Api, ApiError
from .command import Command
from .context import CommandError, Context, pass_context

_FIELD = re.compile(r"([^=:@]+)(:=|=|@)(.*)", re.DOTALL)
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_FORBIDDEN = 403


@click.command(cls=Command)
@click.argument("method", metavar="METHOD", type=click.Choice(_METHODS, case_sensitive=False))
@click.argument("path")
@click.argument("fields", metavar="[FIELD=VALUE]...", nargs=-1)
@click.option("--as", "login", metavar="LOGIN", help="As this user; as the operator without it.")
@pass_context
def api(
    context: Context, method: str, path: str, fields: tuple[str, ...], login: str | None
) -> None:
    """Call any endpoint of the API.

    It runs in this process, without a server, and its answer is printed. PATH is below /api/v3,
    such as /topics/7. NAME=TEXT is a parameter, NAME:=JSON one that is no text, NAME@FILE a file.
    Without --as you may do what administrators may, but nothing that needs a user. The log says
    that it was done at the command line, and by whom.
    """
    values: dict[str, Any] = {}
    files: dict[str, tuple[str, bytes]] = {}
    for field in fields:
        name, sign, text = _parse(field)
        if sign == "@":
            files[name] = _read(Path(text))
        else:
            values[name] = text if sign == "=" else _parse_json(name, text)
    endpoint = quote("/" + path.removeprefix("/api/v3").lstrip("/"), safe="/?&=%+,:@~")
    try:
        response = Api(context, login=login, envelope=None).send(
            method.upper(), endpoint, values, files
        )
    except ApiError as error:
        if error.status == _FORBIDDEN and login is None:
            raise CommandError(f"{error.message} (--as LOGIN acts as a user.)") from None
        raise
    if response.content_type != "application/json":
        click.echo(response.body, nl=False)
        return
    indent = None if context.as_json else 2
    click.echo(json.dumps(response.json, ensure_ascii=False, indent=indent))


def _parse(field: str) -> tuple[str, str, str]:
    """Return name, sign and text of a field. Raises UsageError."""
    match = _FIELD.fullmatch(field)
    if match is None:
        raise click.UsageError(f"{field!r} is not NAME=TEXT, NAME:=JSON or NAME@FILE.")
    name, sign, text = match.groups()
    return name, sign, text


def _read(path: Path) -> tuple[str, bytes]:
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None


def _parse_json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"{name}: not JSON: {error}") from None
