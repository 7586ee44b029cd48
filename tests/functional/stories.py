"""Stories in YAML: what is done, step by step, and what each step must answer.

A story is a list of steps; `docs/testing.md` says how to write one. Texts may contain `$name`, a
value of the story: one that its runner knows, one that an expected value has captured before,
`$x501`, which is so many times the letter x, and `$5h_ago` (or `m`), a time. Of any other name
there is no value, which is an error. In expected texts `…` stands for any text.
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
_NAME = re.compile(r"\$([A-Za-z_0-9]+)")


def stories(path: Path, *only: str, **marks: pytest.MarkDecorator) -> list[Any]:
    """Return the parameters of a test that tries each story of a table, with their names.

    only: the sections to try, all if there are none; marks: marks of sections, by name.
    """
    sections = yaml.safe_load(path.read_text("utf-8"))
    assert {*only, *marks} <= {*sections}
    return [
        pytest.param(steps, id=f"{section}: {name}", marks=marks.get(section, ()))
        for section, named in sections.items()
        if section in (only or sections)
        for name, steps in named.items()
    ]


class Values(dict[str, Any]):
    """The values of a story by name. captured: what it has captured, and must use."""

    def __init__(self, **known: Any) -> None:
        super().__init__(**known)
        self.captured: list[str] = []

    def __missing__(self, name: str) -> Any:
        """Return what needs not be captured."""
        if re.fullmatch(r"x\d+", name):
            return "x" * int(name[1:])
        if ago := re.fullmatch(r"(\d+)([hm])_ago", name):
            past = timedelta(minutes=int(ago[1]) * (60 if ago[2] == "h" else 1))
            return f"{clock.now() - past:%Y-%m-%d %H:%M:%S.%f}"
        raise KeyError(f"${name} has no value")

    def is_new(self, name: str) -> bool:
        """Return whether an expected `$name` captures what is in its place."""
        return name not in self and not re.fullmatch(r"x\d+|\d+[hm]_ago", name)

    def fill(self, value: Any) -> Any:
        """Return a value with those of the story in the places of their names.

        A text that is a name alone becomes its value, whatever its type.
        """
        if isinstance(value, dict):
            return {key: self.fill(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.fill(inner) for inner in value]
        if not isinstance(value, str):
            return value
        if whole := _NAME.fullmatch(value):
            return self[whole[1]]
        return _NAME.sub(lambda name: str(self[name[1]]), value)

    def compare(self, expected: Any, shown: Any, place: str = "it") -> None:
        """Fail unless something is as expected.

        Of an object the named fields are compared, or `absent`; `"...": $name` compares all other
        fields with those of what was captured. Of a list all elements are compared, an object in
        it also by its id or login alone. A new `$name` captures what is in its place, `$_` is met
        by anything, `> $name` by what is greater.
        """
        new = _NAME.fullmatch(expected) if isinstance(expected, str) else None
        if new and self.is_new(new[1]):
            if new[1] != "_":
                self[new[1]] = shown
                self.captured.append(new[1])
        elif isinstance(expected, dict):
            self._compare_fields(expected, shown, place)
        elif isinstance(expected, list):
            assert isinstance(shown, list), f"{place} is {shown!r}, no list"
            assert len(shown) == len(expected), f"{place} has {len(shown)} elements: {shown!r}"
            for number, inner in enumerate(expected):
                self._compare_element(inner, shown[number], f"{place}[{number}]")
        elif isinstance(expected, str) and expected.startswith("> $"):
            assert shown > self.fill(expected[2:]), f"{place}: {shown!r} is not {expected}"
        elif isinstance(expected, str) and "…" in expected:
            is_like = isinstance(shown, str) and self.is_like(expected, shown)
            assert is_like, f"{place}: {shown!r}, not {expected!r}"
        else:
            assert shown == self.fill(expected), f"{place}: {shown!r}, not {expected!r}"

    def _compare_fields(self, expected: dict[str, Any], shown: Any, place: str) -> None:
        assert isinstance(shown, dict), f"{place} is {shown!r}, no object"
        fields = dict(expected)
        if "..." in fields:
            fields = self.fill(fields.pop("...")) | fields
            assert set(fields) == set(shown), f"{place}: other fields"
        for name, inner in fields.items():
            assert (name in shown) is (inner != "absent"), f"{place}.{name}"
            if inner != "absent":
                self.compare(inner, shown[name], f"{place}.{name}")

    def _compare_element(self, expected: Any, shown: Any, place: str) -> None:
        new = _NAME.fullmatch(expected) if isinstance(expected, str) else None
        if isinstance(shown, dict) and not isinstance(expected, dict):
            whole = None if new and self.is_new(new[1]) else self.fill(expected)
            if isinstance(whole, int | str):
                shown = shown["id" if isinstance(whole, int) else "login"]
        self.compare(expected, shown, place)

    def is_like(self, expected: str, shown: str) -> bool:
        """Return whether a text is the expected one, in which `…` stands for any text."""
        pieces = (re.escape(str(self.fill(piece))) for piece in expected.split("…"))
        return re.fullmatch(".*".join(pieces), shown, re.DOTALL) is not None


class Steps:
    """Does the steps of a story; a class below says what each is."""

    def __init__(self, values: Values | None = None) -> None:
        self.values = Values() if values is None else values

    def play(self, steps: list[Any]) -> None:
        """Do the steps, and fail at the first that ends otherwise, or if one captures in vain."""
        for number, step in enumerate(steps, start=1):
            try:
                self.step(step)
            except Exception as error:
                error.add_note(f"step {number}: {step}")
                raise
        names = _NAME.findall(str(steps))
        unused = [name for name in self.values.captured if names.count(name) < 2]
        assert not unused, f"captured and unused: {unused}"

    def step(self, step: Any) -> None:
        """Do a step, and fail if it ends otherwise."""
        raise NotImplementedError


class Lines(Steps):
    """Steps that are a line, or a mapping whose first key is one: `line: what comes of it`."""

    options: tuple[str, ...] = ()
    """The other keys that a step may have."""

    def __init__(self) -> None:
        super().__init__(Values(large="9" * 30, password="tangled-wire-77"))

    def step(self, step: Any) -> None:
        """Do a step, and fail if it ends otherwise."""
        if isinstance(step, str):
            return self.line(step, None, {})
        line, *others = step
        assert {*others} <= {*self.options}, "an unknown key"
        return self.line(line, step[line], {key: step[key] for key in others})

    def line(self, line: str, expected: Any, options: dict[str, Any]) -> None:
        """Do what a line says, and compare what comes of it. options: the other keys."""
        raise NotImplementedError

    def check_rows(self, database: Database, statement: str, expected: Any) -> None:
        """Run an SQL statement, and compare the rows that it finds."""
        with database.writes.begin() as db:
            found = db.execute(text(self.values.fill(statement)))
            rows = [list(row) for row in found] if found.returns_rows else None
        self.values.compare(expected, rows, "the rows")
