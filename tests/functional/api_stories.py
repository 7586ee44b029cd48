"""Stories of the API: requests, and what each answers. docs/testing.md says how to write one.

Each answer is also compared with the API's description, as those of all tests are.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from webtest import TestResponse

from forumsvc.services.posts import counters
from forumsvc.services.search import reindexing
from tests.functional.conftest import MakeForum
from tests.functional.forum import ROLES, Caller, Forum, Person, role_of, scope_of
from tests.functional.recounting import drift
from tests.functional.stories import Steps, Values

BOTH_DATABASES = ("search", "held", "reports", "nodes")
"""The files whose stories `make test` plays on PostgreSQL, too."""

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


class Ids(Values):
    """The values of a story of the API: ids come to be when a row first names them.

    known: what makes the id of a thing, or of a person.
    """

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, Callable[[], Any]] = {}

    def __missing__(self, name: str) -> Any:
        """Return the id of a thing or a person, made now."""
        if name not in self.known:
            return super().__missing__(name)
        self[name] = self.known[name]()
        return self[name]

    def is_new(self, name: str) -> bool:
        """Return whether a name is neither of a thing or person, nor captured before."""
        return name not in self.known and super().is_new(name)


class Story(Steps):
    """A forum, its people and things, which come to be when a row first names them."""

    values: Ids

    def __init__(self, forum: Forum, make_forum: MakeForum) -> None:
        super().__init__(Ids())
        self.forum = forum
        self.make_forum = make_forum
        self.people: dict[str, Person] = {}
        self.values.known = {
            "node": lambda: self.forum.node("One"),
            "other": lambda: self.forum.node("Two"),
            "topic": lambda: self.forum.topic(self.person("alice"), self.values["node"]),
            "reply": lambda: self.forum.reply(self.person("bob"), self.values["topic"]),
        }
        self.name_people("alice", "bob", *ROLES)

    def name_people(self, *logins: str) -> None:
        """Let rows name the ids of these people."""
        for login in logins:
            self.values.known.setdefault(login, partial(self.id_of, login))

    def play(self, steps: list[Row]) -> None:
        """Run all rows; afterwards every counter must be right."""
        for row in steps:
            people = row.get("people", ()) if isinstance(row, dict) else _listed(row[0])
            self.name_people(*(name for name in people if name[0] != "$"))
        super().play(steps)
        database = self.forum.database
        assert drift(database) == []
        with database.reads.connect() as db:
            assert [one.name for one in counters.check(db) if one.wrong] == []

    def step(self, step: Row) -> None:
        """Do a row: a request, or what is set up."""
        self.set_up(step) if isinstance(step, dict) else self.request(step)

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
                answer = self.send(name, method, self.values.fill(path), self.values.fill(sent))
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
                self.values.compare(value, answer.headers.get(name), name)
        elif isinstance(expected, str) and answer.status_int >= 400:
            assert self.values.fill(expected) in answer.json["error"]
        else:
            self.values.compare(expected, answer.json)

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

    def id_of(self, name: str) -> int:
        """Return the id of a person."""
        return self.person(name).id

    def person(self, name: str) -> Person:
        """Return a person, who is a member if ROLES does not say otherwise."""
        if name not in self.people:
            self.people[name] = self.forum.person(name, role=role_of(name), scope=scope_of(name))
        return self.people[name]
