"""Hooks and fixtures for all tests."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from forumsvc.db.engine import Database
from forumsvc.markup.syntax import code_highlighting
from forumsvc.sandbox import process
from tests import databases, extended, pgbouncer
from tests.pgbouncer import PgBouncer
from tests.system.browser import chromium
from tests.system.process import PATIENCE

BROWSER_TESTS = "tests/system/browser/"

# On a busy machine any example may take longer than the 200 milliseconds that are the default, and
# the first ten longer than five times that.
settings.register_profile("forumsvc", deadline=None)
settings.load_profile("forumsvc")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses how the applications under test talk to PostgreSQL."""
    parser.addoption("--pooler", action="store_true", help="go through a PgBouncer")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what `make test` would collect for nothing."""
    is_quick_run = config.getoption("markexpr") == "not extended"
    return True if is_quick_run and extended.is_all_extended(collection_path) else None


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the extended tests, and deselect those that cannot run.

    They are the browser tests without a Chromium (with FORUMSVC_BROWSER=required they fail
    instead), and those that a pooler hinders.
    """
    for item in items:
        if extended.is_extended(item):
            item.add_marker("extended")
    without_browser = chromium.find() is None and not chromium.is_required()
    left_out = [
        item
        for item in items
        if (config.getoption("--pooler") and item.get_closest_marker("direct"))
        or (without_browser and item.nodeid.startswith(BROWSER_TESTS))
    ]
    items[:] = [item for item in items if item not in left_out]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and not among the thousands of tests that stay until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests recorded as `summary`, and whether the browser tests were deselected."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in report.user_properties:
                if name == "summary":
                    terminalreporter.write_line(f"{report.nodeid}: {value}")
    if chromium.find() is None and not chromium.is_required():
        terminalreporter.write_sep("!", f"browser tests NOT RUN: {chromium.MISSING}", red=True)


@pytest.fixture(scope="session", autouse=True)
def time_limits_fit_a_busy_machine() -> Iterator[None]:
    """Give sandbox processes time to start, and lexers time, on a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "_START_SECONDS", PATIENCE)
        patch.setattr(code_highlighting, "MAX_CPU_SECONDS", PATIENCE)
        yield


@pytest.fixture(params=databases.KINDS, scope="session")
def database_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> str:
    """The URL of a migrated database of this process, parametrized by kind."""
    return databases.new_url(request.param, "forum", tmp_path_factory, worker_id)


@pytest.fixture(scope="session", autouse=True)
def through_pooler(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Iterator[PgBouncer | None]:
    """Start the PgBouncer of the option `--pooler`."""
    if not request.config.getoption("--pooler"):
        yield None
        return
    url = databases.new_url("postgresql", "pooled", tmp_path_factory, worker_id, empty=True)
    # A pool for each of the databases; the server has 200 connections for all.
    with pgbouncer.running(url, pool_size=40) as databases.pgbouncer:
        yield databases.pgbouncer


@pytest.fixture(scope="session")
def engines(database_url: str) -> Iterator[Database]:
    """The engines of that database."""
    with databases.open_temporarily(database_url) as database:
        yield database


@pytest.fixture
def database(engines: Database) -> Iterator[Database]:
    """That database, emptied after the test."""
    yield engines
    databases.delete_all_rows(engines)
