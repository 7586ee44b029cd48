"""A renderer runs no SQL: all that a document shows is loaded in a step before.

A fixture of `conftest.py` refuses SQL while any request of a functional test is rendered.
"""

from typing import Any

import pytest

from forumsvc.queries import nodes
from forumsvc.web.responses.envelope import BareEnvelope
from tests.cases import each
from tests.functional.forum import Forum


@each("connection", ["executor", "session", "connection"])
def test_sql_is_refused_while_a_response_is_rendered(
    forum: Forum, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, connection: str
) -> None:
    database = forum.registry.database

    def body(self: BareEnvelope, result: Any, request: Any) -> Any:
        if connection == "executor":
            return nodes.exists(request.db, 1)
        if connection == "session":
            with database.session.begin() as db:
                return nodes.exists(db, 1)
        return nodes.exists(request.read_connection, 1)

    monkeypatch.setattr(BareEnvelope, "body", body)
    assert forum.nobody.get("/nodes").status_int == 500
    assert "the renderer runs SQL" in caplog.text
