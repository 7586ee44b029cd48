"""The setting `database.driver`: with `cursor`, no private part of psycopg is used."""

import pytest

from forumsvc.db import pipeline_connection
from tests.functional.conftest import MakeForum


def test_with_the_driver_cursor_requests_use_no_pipeline_connection(
    make_forum: MakeForum, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a pipeline connection was opened")

    forum = make_forum(database__driver="cursor")
    author, other = forum.person("author"), forum.person("other")
    node = forum.node()
    monkeypatch.setattr(pipeline_connection.PipelineConnection, "__init__", refuse)
    topic = author.post("/topics", title="Hello", body="World", node_id=node).json
    path = f"/topics/{topic['id']}"
    for _ in range(3):  # psycopg prepares a statement when it is repeated
        assert other.post(f"{path}/replies", body="Hello, @author").status_int == 201
    assert author.get(path).json["replies_count"] == 3
    assert len(other.get(f"{path}/replies").json) == 3
    assert author.get("/notifications/unread_count").json == {"count": 3}
