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
from tests.functional.cli.conftest import Run
from tests.functional.stories import SQL, Lines

CODES = {"!refused": 1, "!usage": 2}


class Ending(NamedTuple):
    """How a command ends that does not print JSON. tag: one of `commands.yaml`."""

    tag: str
    text: str


for tag in ("!refused", "!usage", "!lacks", "!prints"):
    yaml.SafeLoader.add_constructor(tag, lambda _, node: Ending(node.tag, node.value))


class Story(Lines):
    """The values of a story, and the forum on which its commands run."""

    def __init__(
        self, run: Run, ini: Path, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        super().__init__()
        self.run, self.ini, self.database, self.monkeypatch = run, ini, database, monkeypatch

    def line(self, line: str, expected: Any, options: dict[str, Any]) -> None:
        """Do a step, and fail if it ends otherwise."""
        if line == "ini":
            lines = [f"{name} = {value}\n" for name, value in expected.items()]
            self.ini.write_text(self.ini.read_text() + "".join(lines))
        elif line == "env":
            for name, value in expected.items():
                self.monkeypatch.setenv(name, value)
        elif line.startswith("password of "):
            self.check_password(line.removeprefix("password of "), expected)
        elif line.startswith(SQL):
            self.check_rows(self.database, line, expected)
        else:
            self.check_command(line, expected)

    def check_command(self, line: str, expected: Any) -> None:
        """Run a command."""
        words = shlex.split(self.values.fill(line))
        if isinstance(expected, (dict, list)) and "api" not in words:
            words.append("--json")
        outcome = self.run(*words)
        if isinstance(expected, Ending) and expected.tag in CODES:
            assert (outcome.code, outcome.out) == (CODES[expected.tag], ""), outcome
            assert expected.tag == "!usage" or len(outcome.err.splitlines()) == 1, outcome
            assert self.values.is_like(f"…{expected.text}…", outcome.err), outcome
            return
        assert outcome.code == 0, outcome
        if isinstance(expected, (dict, list)):
            self.values.compare(expected, json.loads(outcome.out), "the JSON")
        elif isinstance(expected, Ending) and expected.tag == "!lacks":
            assert not self.values.is_like(f"…{expected.text}…", outcome.out), outcome
        elif isinstance(expected, Ending):
            self.values.compare(expected.text, outcome.out.removesuffix("\n"), "the text")
        else:
            shown = " ".join(outcome.out.split())
            assert self.values.is_like(f"…{expected or ''}…", shown), outcome

    def check_password(self, login: str, expected: str) -> None:
        """Check that a user logs in with this password."""
        with self.database.reads.connect() as db:
            stored = db.scalar(select(User.password_hash).where(User.login == login))
        assert verify_password(stored, expected)
