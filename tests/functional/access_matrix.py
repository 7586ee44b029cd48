"""Reads `access_matrix.yaml`: the expected permissions, caller by caller."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_BAD = ("bad", "expired", "revoked")
"""The callers with a bad token, who get the same refusal everywhere."""
_ROW = re.compile(r"(\S+) (\S+)(?: \((.+?)\))?(?: = (.+))?")
_EVERYBODY = (
    *("nobody", "read", "client", "newbie", "member", "author", "blocked", "blocked_author"),
    *("maintainer", "admin"),
)
"""Who looks at the abilities."""


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


@cache
def _data() -> Any:
    return yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))


@cache
def marks() -> dict[str, Mark]:
    """Return the refusals by their marks."""
    return {
        name: Mark(status, error, challenge[0] if challenge else None)
        for name, (status, error, *challenge) in _data()["marks"].items()
    }


@cache
def rows() -> list[Row]:
    """Return every row of the endpoints."""
    found = []
    for group in _data()["endpoints"]:
        who = group["who"]
        who = _data()["groups"][who] if isinstance(who, str) else who
        cells = {role: mark for mark, roles in who.items() for role in roles.split()}
        cells |= dict.fromkeys(_BAD, "bad")
        for row in group["rows"]:
            matched = _ROW.fullmatch(row)
            assert matched, row
            method, path, sends, answer = matched.groups("")
            found.append(Row(method, path, sends, answer, cells))
    return found


@cache
def abilities() -> list[Abilities]:
    """Return the expected abilities of every object."""
    return [_abilities(path, {**keys}) for path, keys in _data()["abilities"].items()]


def _abilities(path: str, keys: dict[str, Any]) -> Abilities:
    unseen = keys.pop("unseen", "").split()
    absent = {
        (key, role)
        for names, roles in keys.pop("absent", {}).items()
        for key in names.split()
        for role in roles.split()
    }
    return Abilities(
        path,
        {
            role: None
            if role in unseen
            else {
                key: role in allowed.split()
                for key, allowed in keys.items()
                if (key, role) not in absent
            }
            for role in _EVERYBODY
        },
    )
