"""Stories in YAML: requests, and what each answers. docs/testing.md says how to write one.

Each answer is also compared with the API's description, as those of all tests are.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from webtest import TestResponse

from forumsvc.services.posts import counters
from forumsvc.services.search import reindexing
from tests.functional.conftest import MakeForum
from tests.functional.forum import Caller, Forum, Person
from tests.functional.recounting import drift

ROLES = {
    "chief": "maintainer",
    "deputy": "maintainer",
    "plain": "maintainer",
    "admin": "admin",
    "keeper": "admin",
    "vip": "vip",
}
SCOPES = {"member": "read write", "reader": "read", "plain": "read write", "keeper": "admin"}
BOTH_DATABASES = ("search", "held", "reports")
"""The files whose stories `make test` plays on PostgreSQL, too."""
_VARIABLE = re.compile(r"\$(\w+)")

Row = list[Any] | dict[str, dict[str, Any]]


def stories_of(*files: Path) -> list[Any]:
    """Return the stories of YAML files as parameters: a name, and a list of rows."""
    return [
        pytest.param(
            rows if isinstance(rows[0], list | dict) else [rows],
            id=f"{file.stem}: {name}",
            marks=[pytest.mark.both_databases] * (file.stem in BOTH_DATABASES),
        )
        for file in files
        for name, rows in yaml.safe_load(file.read_text("utf-8")).items()
    ]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


class Story:
    """A forum, its people and things, which come to be when a row first names them."""

    def __init__(self, forum: Forum, make_forum: MakeForum) -> None:
        self.forum = forum
        self.make_forum = make_forum
        self.people: dict[str, Person] = {}
        self.values: dict[str, Any] = {}
        self.captured: list[str] = []
        self.things: dict[str, Callable[[], Any]] = {
            "node": lambda: self.forum.node("One"),
            "other": lambda: self.forum.node("Two"),
            "topic": lambda: self.forum.topic(self.person("alice"), self.value("node")),
            "reply": lambda: self.forum.reply(self.person("bob"), self.value("topic")),
        }

    def play(self, rows: list[Row]) -> None:
        """Run all rows; afterwards every counter must be right, and what was captured be used."""
        for row in rows:
            try:
                self.set_up(row) if isinstance(row, dict) else self.request(row)
            except Exception as error:
                error.add_note(f"The row: {row}")
                raise
        names = _VARIABLE.findall(str(rows))
        assert [one for one in self.captured if names.count(one) < 2] == [], "captured in vain"
        database = self.forum.database
        assert drift(database) == []
        with database.reads.connect() as db:
            assert [one.name for one in counters.check(db) if one.wrong] == []

    def set_up(self, row: dict[str, dict[str, Any]]) -> None:
        """Make a forum with other settings, or people with such columns, or index posts."""
        for kind, values in row.items():
            if kind == "settings":
                named = {name.replace(".", "__"): str(value) for name, value in values.items()}
                self.forum = self.make_forum(**named)
                for person in self.people.values():
                    person.app = self.forum.app
            elif kind == "people":
                for login, columns in values.items():
                    self.forum.change(self.person(login).id, login=login, **columns or {})
            elif kind == "reindex":
                reindexing.reindex(self.forum.database)
            else:
                raise AssertionError(f"{kind} is no set-up")

    def request(self, row: list[Any]) -> None:
        """Send each request of a row as each of its people, and compare the answers."""
        who, requests, *rest = row
        sent = rest.pop(0) if rest and isinstance(rest[0], dict) else {}
        statuses = [rest.pop(0)] if rest else [200, 201]
        for name in _listed(who):
            for request in _listed(requests):
                method, _, address = request.partition(" ")
                path = address.replace(" ", "?", 1)
                answer = self.send(name, method, self.filled_in(path), self.filled_in(sent))
                try:
                    assert answer.status_int in statuses
                    for expected in rest:
                        self.compare_answer(expected, answer)
                except AssertionError as error:
                    shown = f"{answer.status_int} {answer.text[:2000]}"
                    error.add_note(f"{name}: {request} → {shown}")
                    raise

    def compare_answer(self, expected: Any, answer: TestResponse) -> None:
        """Compare an answer: its headers, a part of its error, or its body."""
        if isinstance(expected, dict) and "headers" in expected:
            for name, value in expected["headers"].items():
                self.compare(value, answer.headers.get(name), name)
        elif isinstance(expected, str) and answer.status_int >= 400:
            assert self.filled_in(expected) in answer.json["error"]
        else:
            self.compare(expected, answer.json)

    def send(self, who: str, method: str, path: str, sent: dict[str, Any]) -> Any:
        """Send a request: a form or a query, or the value of `json`."""
        callers: dict[str, Callable[[], Caller]] = {
            "nobody": lambda: self.forum.nobody,
            "robot": self.robot,
        }
        caller = callers.get(who, lambda: self.person(who))()
        return self.call(caller, method, path, sent)

    def robot(self) -> Caller:
        """Return an application with a token of its own, without a user."""
        return self.forum.caller(self.forum.token(None))

    @staticmethod
    def call(caller: Caller, method: str, path: str, sent: dict[str, Any]) -> Any:
        """Send what a row says as a caller."""
        if "json" in sent:
            return caller.call(method, path, json=sent["json"])
        return caller.call(method, path, sent)

    def person(self, name: str) -> Person:
        """Return a person, who is a member if ROLES does not say otherwise."""
        if name not in self.people:
            role = ROLES.get(name, "member")
            scope = SCOPES.get(name) or SCOPES.get(role, "read write moderate admin")
            self.people[name] = self.forum.person(name, role=role, scope=scope)
        return self.people[name]

    def value(self, name: str) -> Any:
        """Return the value of a variable: a captured one, an id of a thing or of a person."""
        if name not in self.values:
            made = self.things.get(name) or (lambda: self.person(name).id)
            self.values[name] = made()
        return self.values[name]

    def filled_in(self, value: Any) -> Any:
        """Return a value with the variables `$name` in it replaced."""
        if isinstance(value, dict):
            return {key: self.filled_in(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.filled_in(inner) for inner in value]
        if not isinstance(value, str):
            return value
        if whole := _VARIABLE.fullmatch(value):
            return self.value(whole[1])
        return _VARIABLE.sub(lambda found: str(self.value(found[1])), value)

    def compare(self, expected: Any, shown: Any, place: str = "answer") -> None:
        """Fail unless a part of an answer is as expected.

        Of an object the named fields are compared, or `absent`; of a list all elements, an object
        in it also by its id or login alone. A new `$name` captures what is shown, `$_` is met by
        anything, `> $name` by what is greater; `"...": $name` compares all other fields with those
        that were captured.
        """
        if isinstance(expected, dict):
            fields = dict(expected)
            if "..." in fields:
                fields = self.filled_in(fields.pop("...")) | fields
                assert set(fields) == set(shown), f"{place}: other fields"
            for name, inner in fields.items():
                assert (name in shown) is (inner != "absent"), f"{place}.{name}"
                if inner != "absent":
                    self.compare(inner, shown[name], f"{place}.{name}")
        elif isinstance(expected, list):
            assert len(shown) == len(expected), f"{place} has {len(shown)} elements"
            for number, inner in enumerate(expected):
                one = shown[number]
                if isinstance(one, dict) and not (isinstance(inner, dict) or self.new_name(inner)):
                    wanted = self.filled_in(inner)
                    if not isinstance(wanted, dict):
                        one = one["id" if isinstance(wanted, int) else "login"]
                self.compare(inner, one, f"{place}[{number}]")
        elif isinstance(expected, str) and expected.startswith("> $"):
            assert shown > self.value(expected[3:]), f"{place}: {shown!r} is not {expected}"
        elif new := self.new_name(expected):
            if new != "_":
                self.values[new] = shown
                self.captured.append(new)
        else:
            assert shown == self.filled_in(expected), f"{place}: {shown!r}, not {expected!r}"

    def new_name(self, expected: Any) -> str | None:
        """Return the name of a variable that has no value yet, and names no thing or person."""
        found = isinstance(expected, str) and _VARIABLE.fullmatch(expected)
        known = found and (self.values.keys() | self.things.keys() | self.people.keys())
        return found[1] if found and known and found[1] not in known else None
