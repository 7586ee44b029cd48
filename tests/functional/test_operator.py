"""The operator at the command line may do what only staff may, but nothing that needs a user."""

import re
from collections.abc import Iterator

import pytest
from webtest import TestApp

from forumsvc.db.engine import Database
from forumsvc.web.api.operator import ENVIRON_KEY, Operator
from tests import databases
from tests.databases import on_sqlite
from tests.functional import access_matrix
from tests.functional.access_matrix import Row
from tests.functional.checked_app import CheckedApp
from tests.functional.conftest import close_application
from tests.functional.forum import Caller, make_app
from tests.functional.permission_fixture import IDS, PermissionFixture
from tests.functional.test_access_matrix import SENT

STAFF = {"maintainer", "admin", "admin_scope", "moderate_scope"}
NEEDS_A_USER = re.compile(
    r"(PUT|PATCH|POST) /(topics|replies)/\{\w+\}"  # a text has somebody who wrote it
    r"|POST /topics/\{\w+\}/(replies|(un)?follow|(un)?favorite)"
    r"|(POST|DELETE) /likes\?.*"
)


@pytest.fixture(scope="module")
def app(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestApp]:
    application = make_app(database_url, tmp_path_factory.mktemp("operator"))
    yield CheckedApp(application)
    close_application(application)


@pytest.fixture(scope="module")
def fixture(engines: Database) -> Iterator[PermissionFixture]:
    """The forum of the access matrix."""
    yield PermissionFixture(engines)
    databases.delete_all_rows(engines)


def is_for_staff(row: Row) -> bool:
    """Return whether staff alone may call an endpoint of the matrix."""
    allowed = {role for role, mark in row.cells.items() if mark == "ok"}
    return bool(allowed) and allowed <= STAFF


@on_sqlite
def test_what_only_staff_may_do_the_operator_may(app, fixture):
    environ = {ENVIRON_KEY: Operator("ops")}
    wrong = {}
    for row in access_matrix.rows():
        fixture.prepare("admin")
        path = row.path.format(**IDS)
        answer = Caller(app).call(row.method, path, extra_environ=environ, **SENT[row.sends])
        if row.method != "GET" and answer.status_int < 400:
            fixture.spoil()
        name = f"{row.method} {row.path}"
        expected = 403 if NEEDS_A_USER.fullmatch(name) else 200
        is_expected = answer.status_int in (expected, 201, 202) or not is_for_staff(row)
        if answer.status_int >= 500 or not is_expected:
            wrong[name] = f"{answer.status_int} {answer.text[:200]}"
    assert wrong == {}
