"""Runs the steps of stories about commands: `commands.yaml` says which there are."""

import json
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from sqlalchemy import select

from forumsvc.db.engine import Database
from forumsvc.models import User
from forumsvc.process.passwords import verify_password
from tests.functional.cli.conftest import Outcome, Run
from tests.functional.stories import SQL, Steps

CODES = {"!refused": 1, "!usage": 2}


class Ending(NamedTuple):
    """How a command ends that does not print JSON. tag: one of `commands.yaml`."""

    tag: str
    text: str


for tag in ("!refused", "!usage", "!lacks", "!prints"):
    yaml.SafeLoader.add_constructor(tag, lambda _, node: Ending(node.tag, node.value))


class Story(Steps):
    """The values of a story, and the forum on which its commands run."""

    def __init__(
        self, run: Run, ini: Path, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        super().__init__()
        self.run, self.ini, self.database, self.monkeypatch = run, ini, database, monkeypatch

    def step(self, action: str, expected: Any, options: dict[str, Any]) -> None:
        """Do a step, and fail if it ends otherwise."""
        if action == "ini":
            lines = [f"{name} = {value}\n" for name, value in expected.items()]
            self.ini.write_text(self.ini.read_text() + "".join(lines))
        elif action == "env":
            for name, value in expected.items():
                self.monkeypatch.setenv(name, value)
        elif action.startswith("password of "):
            self.check_password(action.removeprefix("password of "), expected)
        elif action.startswith(SQL):
            self.check_rows(self.database, action, expected)
        else:
            self.check_command(action, expected)

    def check_command(self, line: str, expected: Any) -> None:
        """Run a command."""
        words = shlex.split(self.values.fill(line))
        if isinstance(expected, (dict, list)) and "api" not in words:
            words.append("--json")
        outcome = self.run(*words)
        assert self.is_as(outcome, expected), (outcome, dict(self.values))

    def is_as(self, outcome: Outcome, expected: Any) -> bool:
        """Return whether a command ended as expected."""
        if isinstance(expected, Ending) and expected.tag in CODES:
            ended = (outcome.code, outcome.out) == (CODES[expected.tag], "")
            is_short = expected.tag == "!usage" or len(outcome.err.splitlines()) == 1
            return ended and is_short and self.values.is_like(f"…{expected.text}…", outcome.err)
        if outcome.code != 0:
            return False
        if isinstance(expected, (dict, list)):
            return self.values.match(expected, json.loads(outcome.out))
        if isinstance(expected, Ending) and expected.tag == "!lacks":
            return not self.values.is_like(f"…{expected.text}…", outcome.out)
        if isinstance(expected, Ending):
            return self.values.is_like(expected.text, outcome.out.removesuffix("\n"))
        return self.values.is_like(f"…{expected or ''}…", " ".join(outcome.out.split()))

    def check_password(self, login: str, expected: str) -> None:
        """Check that a user logs in with this password."""
        with self.database.reads.connect() as db:
            stored = db.scalar(select(User.password_hash).where(User.login == login))
        assert verify_password(stored, expected)
