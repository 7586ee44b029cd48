"""Tables of stories in YAML: what is done, step by step, and what each step must answer.

A table is a mapping of sections, each a mapping of the name of a test to its steps. A step is a
string, or a mapping whose first key is what is done. `$name` is a value of the story: one
that its runner knows, one that an expected value has captured before, `$x501`, which is so many
times the letter x, and `$5h_ago` (or `m`), a time. In expected texts `…` stands for any text.
"""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import text

from forumsvc import clock
from forumsvc.db.engine import Database

SQL = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ")
_NAME = re.compile(r"\$(\w+)")


def stories(path: Path, *only: str, **marks: pytest.MarkDecorator) -> list[Any]:
    """Return the parameters of a test that tries each story of a table, with their names.

    only: the sections to try, all if there are none; marks: marks of sections, by name.
    """
    sections = yaml.safe_load(path.read_text())
    assert {*only, *marks} <= {*sections}
    return [
        pytest.param(steps, id=f"{section}: {name}", marks=marks.get(section, ()))
        for section, named in sections.items()
        if section in (only or sections)
        for name, steps in named.items()
    ]


def parts(step: Any) -> tuple[str, Any, dict[str, Any]]:
    """Return what a step does, the value of that key, and its other keys."""
    if isinstance(step, str):
        return step, None, {}
    action, *_ = step
    return action, step[action], {key: step[key] for key in step if key != action}


class Values(dict[str, Any]):
    """The values of a story by name. captured: what it has captured, and must use."""

    def __init__(self, **known: Any) -> None:
        super().__init__(**known)
        self.captured: list[str] = []

    def fill(self, text: str) -> str:
        """Return a text with the values in the places of their names."""
        return _NAME.sub(lambda name: str(self._value(name[1], name[0])), text)

    def _value(self, name: str, otherwise: Any) -> Any:
        if re.fullmatch(r"x\d+", name):
            return "x" * int(name[1:])
        if ago := re.fullmatch(r"(\d+)([hm])_ago", name):
            past = timedelta(minutes=int(ago[1]) * (60 if ago[2] == "h" else 1))
            return f"{clock.now() - past:%Y-%m-%d %H:%M:%S.%f}"
        return self.get(name, otherwise)

    def match(self, expected: Any, found: Any) -> bool:
        """Return whether something is as expected, and capture the names that have no value yet.

        A mapping must have the expected keys and may have others; a list must have as many items.
        """
        if isinstance(expected, dict):
            return isinstance(found, dict) and all(
                key in found and self.match(value, found[key]) for key, value in expected.items()
            )
        if isinstance(expected, list):
            is_list = isinstance(found, list) and len(found) == len(expected)
            return is_list and all(map(self.match, expected, found))
        if not isinstance(expected, str):
            return bool(expected == found)
        name = _NAME.fullmatch(expected)
        if name and self._value(name[1], None) is None:
            self[name[1]] = found
            self.captured.append(name[1])
            return True
        if name and not isinstance(found, str):
            return bool(self[name[1]] == found)
        return isinstance(found, str) and self.is_like(expected, found)

    def is_like(self, expected: str, found: str) -> bool:
        """Return whether a text is the expected one, in which `…` stands for any text."""
        pieces = map(re.escape, self.fill(expected).split("…"))
        return re.fullmatch(".*".join(pieces), found, re.DOTALL) is not None


class Steps:
    """Does the steps of a story; a class below says what each is."""

    options: tuple[str, ...] = ()
    """The other keys that a step may have."""

    def __init__(self) -> None:
        self.values = Values(large="9" * 30, password="tangled-wire-77")

    def tell(self, steps: list[Any]) -> None:
        """Do the steps, and fail at the first that ends otherwise."""
        for number, step in enumerate(steps, start=1):
            try:
                action, expected, options = parts(step)
                assert {*options} <= {*self.options}, "an unknown key"
                self.step(action, expected, options)
            except Exception as error:
                error.add_note(f"step {number}: {step}")
                raise
        names = _NAME.findall(str(steps))
        assert [name for name in self.values.captured if names.count(name) < 2] == []

    def step(self, action: str, expected: Any, options: dict[str, Any]) -> None:
        """Do a step, and fail if it ends otherwise. options: its other keys."""
        raise NotImplementedError

    def check_rows(self, database: Database, statement: str, expected: Any) -> None:
        """Run an SQL statement, and compare the rows that it finds."""
        with database.writes.begin() as db:
            found = db.execute(text(self.values.fill(statement)))
            rows = [list(row) for row in found] if found.returns_rows else None
        assert self.values.match(expected, rows), (rows, dict(self.values))
