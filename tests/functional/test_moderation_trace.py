"""Nothing that only moderators and admins may do to others leaves no trace in the log.

The operations are those of the access matrix, which has a row for every endpoint: a new one that
records nothing fails here.
"""

from collections.abc import Iterator

import pytest
from sqlalchemy import func, select

from forumsvc.db.engine import Database
from forumsvc.models import AuditRecord
from tests import databases
from tests.functional import access_matrix
from tests.functional.access_matrix import Row
from tests.functional.checked_app import CheckedApp
from tests.functional.conftest import close_application
from tests.functional.forum import make_app
from tests.functional.permission_fixture import PermissionFixture
from tests.functional.test_access_matrix import call

MODERATORS = ("maintainer", "admin", "moderate_scope", "admin_scope")
OTHERS = ("member", "newbie")
WITHOUT_TRACE = {
    "POST /topics/:id/action type=unexcellent": "no topic of the matrix is excellent",
    "POST /topics/:id/action type=unpin": "no topic of the matrix is pinned",
    "POST /webhooks/:id/ping": "sends a test message",
    "POST /webhooks/:id/replay": "sends again what was sent before",
    "POST /webhooks/:id/deliveries/:id/redeliver": "sends again what was sent before",
}


def moderating() -> dict[str, list[tuple[str, Row]]]:
    """Return the rows of each operation that moderators may use and other members never may."""
    found: dict[str, list[tuple[str, Row]]] = {}
    for_members = set()
    for row in access_matrix.rows():
        action = row.path.partition("?")[2] if row.pattern.endswith("/action") else ""
        name = " ".join(filter(None, (row.method, row.pattern, action)))
        able = [role for role in MODERATORS if row.cells.get(role) == "ok"]
        if any(row.cells.get(role) == "ok" for role in OTHERS):
            for_members.add(name)
        elif row.method != "GET" and able:
            found.setdefault(name, []).append((able[0], row))
    return {name: rows for name, rows in found.items() if name not in for_members}


@pytest.fixture(scope="module")
def app(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CheckedApp]:
    """The application of the access matrix."""
    settings = {"accounts.newbie_minutes": "60"}
    application = make_app(database_url, tmp_path_factory.mktemp("trace"), **settings)
    yield CheckedApp(application)
    close_application(application)


@pytest.fixture(scope="module")
def fixture(engines: Database) -> Iterator[PermissionFixture]:
    """The forum of the access matrix."""
    yield PermissionFixture(engines)
    databases.delete_all_rows(engines)


def records(database: Database) -> int:
    with database.reads.connect() as db:
        return db.scalar(select(func.count()).select_from(AuditRecord)) or 0


def test_enough_operations_are_known():
    assert len(moderating()) > 20
    assert set(WITHOUT_TRACE) <= set(moderating())


@pytest.mark.parametrize("operation", sorted(set(moderating()) - set(WITHOUT_TRACE)))
def test_the_operation_is_recorded(app, engines, fixture, operation):
    traces = []
    for role, row in moderating()[operation]:
        fixture.prepare(role)
        before = records(engines)
        assert call(app, role, row).status_int < 400, row
        fixture.spoil()
        traces.append(records(engines) - before)
    # What is so already, such as a topic that is banned again, leaves no trace.
    assert max(traces) == 1, traces
