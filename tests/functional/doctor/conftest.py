"""A healthy forum, and the command that examines it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Connection

from forumsvc.db.engine import Database
from forumsvc.doctor import postgresql, roles
from tests.functional.background_jobs import let_worker_live_long
from tests.functional.cli.conftest import ini as ini
from tests.functional.cli.conftest import one_search_for_loaders as one_search_for_loaders
from tests.functional.cli.conftest import run as run
from tests.functional.cli.conftest import run_command
from tests.functional.cli.conftest import shared_applications as shared_applications

SERVER = {"use": "egg:forumsvc", "listen": "127.0.0.1:0"}


DURABLE = ("fsync", "full_page_writes", "synchronous_commit", "autovacuum")


class Usage(NamedTuple):
    """The space of a disk, as `shutil.disk_usage` returns it."""

    total: int
    used: int
    free: int


class Examined:
    """The outcome of a run of `forumsvc doctor --json`."""

    def __init__(self, found: dict[str, Any], code: int) -> None:
        self.findings = [
            (each["level"], each["area"], each["message"]) for each in found["findings"]
        ]
        levels = [level for level, _, _ in self.findings]
        counts = [levels.count(level) for level in ("error", "warning", "info")]
        assert [found["errors"], found["warnings"], found["infos"]] == counts
        assert code == (1 if found["errors"] else 0)

    @property
    def faults(self) -> list[tuple[str, str, str]]:
        """The findings above info."""
        return [finding for finding in self.findings if finding[0] != "info"]

    def only(self, level: str, area: str) -> str:
        """Return the message of the only finding above info."""
        [fault] = self.faults
        assert fault[:2] == (level, area)
        return fault[2]

    def infos(self, area: str) -> list[str]:
        """Return the messages of an area that are worth knowing."""
        return [message for level, of, message in self.findings if (level, of) == ("info", area)]


Examine = Callable[..., Examined]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A function: let this share of each disk be free."""

    def free(share: float) -> None:
        usage = Usage(10**12, round((1 - share) * 10**12), round(share * 10**12))
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)

    return free


@pytest.fixture
def durable(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A function: let PostgreSQL say that it has the settings of production, and these.

    That of the tests does without durability, to be quick, and the service is its superuser.
    """
    read = postgresql.server_settings
    monkeypatch.setattr(roles, "rights", lambda db: ("forum", False, False))

    def settings(**changed: str) -> None:
        def read_changed(db: Connection) -> dict[str, str]:
            return {**read(db), **dict.fromkeys(DURABLE, "on"), **changed}

        monkeypatch.setattr(postgresql, "server_settings", read_changed)

    return settings


@pytest.fixture
def worker(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A background worker that is alive."""
    let_worker_live_long(database, monkeypatch)


@pytest.fixture
def examine(
    ini: Path,
    tmp_path: Path,
    worker: None,
    disk: Callable[[float], None],
    durable: Callable[..., None],
) -> Examine:
    """A function: examine the forum, with these words, settings, keys of `[server:main]` and
    sections.
    """
    disk(0.5)
    durable()

    def run(
        *words: str,
        server: dict[str, object] | None = None,
        sections: str = "",
        **settings: object,
    ) -> Examined:
        path = tmp_path / "examined.ini"
        named = {key.replace("__", "."): value for key, value in settings.items()}
        lines = _changed(ini.read_text().splitlines(), named)
        lines += ["[server:main]", *_changed([], {**SERVER, **(server or {})}), sections]
        path.touch(0o600)
        path.write_text("\n".join(lines))
        outcome = run_command("-c", path, "doctor", "--json", *words)
        assert outcome.err == ""
        return Examined(json.loads(outcome.out), outcome.code)

    return run


def _changed(lines: list[str], values: dict[str, Any]) -> list[str]:
    """Return the lines of a section with these values in the place of its own."""
    kept = [line for line in lines if line.partition(" = ")[0] not in values]
    return kept + [f"{key} = {value}" for key, value in values.items()]
