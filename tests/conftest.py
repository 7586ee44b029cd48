"""What all tests share."""

from collections.abc import Iterator

import pytest

from forumsvc.models.engine import Database
from tests import databases


@pytest.fixture(params=databases.KINDS, scope="session")
def database_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> str:
    """A migrated database of this process, of each kind in turn."""
    return databases.new_url(request.param, "forum", tmp_path_factory, worker_id)


@pytest.fixture(scope="session")
def engines(database_url: str) -> Iterator[Database]:
    """The engines of that database."""
    with databases.opened(database_url) as database:
        yield database


@pytest.fixture
def database(engines: Database) -> Iterator[Database]:
    """That database, emptied after the test."""
    yield engines
    databases.empty(engines)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests recorded as their `summary`, wherever they ran."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in report.user_properties:
                if name == "summary":
                    terminalreporter.write_line(f"{report.nodeid}: {value}")
