"""The command, run in this process on the empty database of `tests/conftest.py`."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import plaster.loaders
import pytest
from click.testing import CliRunner

import forumsvc
from forumsvc.cli import api_client, main
from forumsvc.db.engine import Database
from forumsvc.settings import Settings
from tests.functional.conftest import READ_BY_VIEWS

INI = """\
[app:main]
use = egg:forumsvc
sqlalchemy.url = {url}
site.environment = development
session.secret = a secret that these tests made up
"""


@dataclass(frozen=True)
class Outcome:
    """What a run of the command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output, which must be one JSON object and nothing else."""
        assert self.code == 0, self.err
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def refusal(self) -> str:
        """The one line on standard error of a request that was refused."""
        assert self.code == 1, self
        assert not self.out
        (line,) = self.err.splitlines()
        return line


Run = Callable[..., Outcome]


def run_command(*words: object, stdin: str = "") -> Outcome:
    """Run the command with these words in this process. stdin: what its standard input has."""
    result = CliRunner().invoke(main, [str(word) for word in words], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(scope="package", autouse=True)
def one_search_for_loaders() -> Iterator[None]:
    """Let plaster read the metadata of all installed distributions once, not in every command."""
    search = plaster.loaders._iter_ep_in_dists

    @cache
    def found(scheme: str, groups: tuple[str, ...]) -> list[Any]:
        return list(search(scheme, groups))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            plaster.loaders,
            "_iter_ep_in_dists",
            lambda scheme, groups: found(scheme, tuple(groups)),
        )
        yield


@pytest.fixture(scope="package", autouse=True)
def shared_applications() -> Iterator[None]:
    """Let commands that call the API share applications: to register all views takes long."""
    create = api_client.create_application
    made: dict[frozenset[tuple[str, str]], Any] = {}

    def shared(settings: Settings, ini: dict[str, str], here: Path, **options: Any) -> Any:
        key = frozenset((name, ini[name]) for name in ini if READ_BY_VIEWS.match(name))
        if key not in made:
            made[key] = create(settings, ini, here, **options)
            return made[key]
        registry = made[key].registry
        registry.forum_settings, registry.database = settings, options["database"]
        forumsvc.configure_services(registry, settings, here)
        return made[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api_client, "create_application", shared)
        yield


@pytest.fixture
def ini(tmp_path: Path, database: Database) -> Path:
    """An ini file that names the empty database."""
    path = tmp_path / "forum.ini"
    url = database.url.render_as_string(hide_password=False)
    path.write_text(INI.format(url=url.replace("%", "%%")))
    return path


@pytest.fixture
def run(ini: Path) -> Run:
    """A function: run the command on the empty database."""
    return lambda *words, **options: run_command("-c", ini, *words, **options)
