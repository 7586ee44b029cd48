"""Parses `access_matrix.md`: the expected permissions, cell by cell."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGE = Path(__file__).with_suffix(".md")
# One column of the page stands for three callers.
_BAD = ("bad", "expired", "revoked")


@dataclass(frozen=True)
class Mark:
    """A refusal: its status, the text of `error`, and the header WWW-Authenticate, if any."""

    status: int
    error: str
    challenge: str | None


@dataclass(frozen=True)
class Row:
    """An endpoint. path: with names in braces; sends: which form; answer: what success shows;
    cells: mark by role.
    """

    method: str
    path: str
    sends: str
    answer: str
    cells: dict[str, str]

    @property
    def pattern(self) -> str:
        """The path as the API description writes it."""
        path = self.path.partition("?")[0]
        path = re.sub(r"/(\{\w+\}|AUTHOR)", "/:id", path)
        return re.sub(r"^/users/me/", "/users/:id/", path)

    @property
    def creates(self) -> str | None:
        """The kind of resource that a success creates, if any."""
        return {"topic": "topics", "reply": "replies"}[self.sends] if self.answer == "new" else None


@dataclass(frozen=True)
class Abilities:
    """The expected `abilities` of an object by role and key; None if the role may not see it."""

    path: str
    by_role: dict[str, dict[str, bool] | None]


def _tables() -> Iterator[list[list[str]]]:
    table: list[list[str]] = []
    for line in [*PAGE.read_text().splitlines(), ""]:
        if line.startswith("|"):
            table.append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
        elif table:
            yield [table[0], *table[2:]]
            table = []


def _bodies(first: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    for head, *body in _tables():
        if head[0] == first:
            yield [name.replace(" ", "_") for name in head], body


@cache
def marks() -> dict[str, Mark]:
    """Return the refusals by their marks."""
    return {
        name: Mark(int(status), error, challenge or None)
        for _, body in _bodies("mark")
        for name, status, error, challenge in body
    }


@cache
def rows() -> list[Row]:
    """Return every row of the tables of endpoints."""
    return [
        Row(method, path, sends, answer, _cells(head[3:], cells))
        for head, body in _bodies("endpoint")
        for endpoint, sends, answer, *cells in body
        for method, path in [endpoint.split(" ", 1)]
    ]


def _cells(roles: list[str], cells: list[str]) -> dict[str, str]:
    found = {}
    for role, mark in zip(roles, cells, strict=True):
        found.update(dict.fromkeys(_BAD if role == "bad" else (role,), mark))
    return found


@cache
def abilities() -> list[Abilities]:
    """Return the expected abilities of every object of the table."""
    by_path: dict[str, dict[str, dict[str, bool] | None]] = {}
    for head, body in _bodies("object"):
        for path, key, *cells in body:
            of_object = by_path.setdefault(path, {})
            for role, cell in zip(head[2:], cells, strict=True):
                keys = of_object.setdefault(role, None if cell == "-" else {})
                if keys is not None and cell != "absent":
                    keys[key] = {"yes": True, "no": False}[cell]
    return [Abilities(path, of_object) for path, of_object in by_path.items()]
