"""What `forumsvc doctor` and `forumsvc check` find: the stories of `doctor.yaml`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forumsvc.db.engine import Database
from tests.databases import on_postgresql, on_sqlite
from tests.functional.cli.conftest import Run
from tests.functional.cli.story import Story
from tests.functional.doctor.conftest import Examine
from tests.functional.stories import stories

TABLE = Path(__file__).with_name("doctor.yaml")


class Examination(Story):
    """A story whose forum is examined."""

    options = ("with", "server", "knows")

    def __init__(self, *words: Any, examine: Examine, functions: dict[str, Any]) -> None:
        super().__init__(*words)
        self.examine, self.functions = examine, functions

    def line(self, line: str, expected: Any, options: dict[str, Any]) -> None:
        """Do a step, and fail if it ends otherwise."""
        command, *words = line.split()
        if command in self.functions:
            self.functions[command](expected)
        elif command in ("check", "doctor"):
            words += ["--before-start"] if command == "check" else []
            settings = options.get("with", {})
            found = self.examine(*words, server=options.get("server", {}), **settings)
            self.check(found.faults, expected or [])
            self.check_infos(found.infos, options.get("knows", {}))
        else:
            super().line(line, expected, options)

    def check(self, findings: list[tuple[str, str, str]], expected: Any) -> None:
        """Compare the findings above info with the beginnings of lines."""
        lines = [": ".join(finding) for finding in findings]
        wanted = [expected] if isinstance(expected, str) else expected
        self.values.compare([f"{line}…" for line in wanted], lines, "the findings")

    def check_infos(self, infos: Callable[[str], list[str]], expected: dict[str, str]) -> None:
        """Check that these are among what is worth knowing, by area."""
        for area, text in expected.items():
            assert any(self.values.is_like(f"{text}…", one) for one in infos(area)), infos(area)


@pytest.fixture
def story(
    run: Run,
    ini: Path,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    examine: Examine,
    disk: Callable[[float], None],
    durable: Callable[..., None],
) -> Examination:
    """A story about a healthy forum."""
    functions = {"free": disk, "settings": lambda changed: durable(**changed)}
    return Examination(run, ini, database, monkeypatch, examine=examine, functions=functions)


@pytest.mark.both_databases
@pytest.mark.parametrize("steps", stories(TABLE, "contents"))
def test_finding(steps, story):
    story.play(steps)


@on_sqlite
@pytest.mark.parametrize("steps", stories(TABLE, "backup", "before start", "disk", "site"))
def test_finding_on_sqlite(steps, story):
    story.play(steps)


@on_postgresql
@pytest.mark.parametrize("steps", stories(TABLE, "postgresql"))
def test_finding_on_postgresql(steps, story):
    story.play(steps)
