"""What is shown on a terminal: tables, and how far a command is."""

import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Self

import click

from ..clock import rfc3339


def json_value(value: object) -> object:
    """Return a value that JSON does not know as one that it does: a time. Raises TypeError."""
    if isinstance(value, datetime):
        return rfc3339(value)
    raise TypeError(type(value).__name__)


def header(key: str) -> str:
    """Return the header of a column for the values of a key: `Created` for `created_at`."""
    name = re.sub("_(id|at|count|name)$", "", key).replace("_", " ").capitalize()
    return "ID" if name == "Id" else name


def picked(rows: Iterable[object], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return attributes of rows by their names."""
    return [{name: getattr(row, name) for name in names} for row in rows]


def print_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Align the columns; lines longer than the terminal are not cut, so that they can be copied."""
    lines = [[*map(_cell, row)] for row in (headers, *rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (
            cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)
        )
        click.echo("  ".join(cells).rstrip())


def _cell(value: object) -> str:
    """Return a value as text of one line without control characters; `-` for none."""
    match value:
        case None:
            text = ""
        case bool():
            text = "yes" if value else "no"
        case datetime():
            text = rfc3339(value)
        case list() | tuple():
            text = " ".join(map(str, value))
        case dict():
            text = ", ".join(f"{name}: {_cell(one)}" for name, one in value.items())
        case _:
            text = str(value)
    shown = (char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return "".join(shown) or "-"


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: a Chinese character takes two."""
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char)
        for char in text
    )


class Progress:
    """A line on the terminal that says how far a command is; nothing in a pipe or a file."""

    def __init__(self, label: str, total: int | None = None) -> None:
        self._what = label
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
