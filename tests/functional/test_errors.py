"""Every error: its status, its {error} body, its headers, and no change in the database."""

import logging
from functools import partial
from typing import Any

import pytest

from forumsvc.queries import nodes
from forumsvc.services.posts import relations, replies
from forumsvc.services.posts import topics as topic_service
from tests.cases import each
from tests.functional.forum import API
from tests.functional.raw import dump, raw


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> str:
    """Make nodes and follows fail, and return a detail that clients must not see."""
    detail = "the secret of the broken function"

    def fail(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError(detail)

    monkeypatch.setattr(nodes, "all_nodes", fail)
    monkeypatch.setattr(relations, "follow_topic", fail)
    return detail


def test_an_unexpected_exception_is_500_without_detail_and_logged_with_its_id(
    forum, broken, caplog
):
    with caplog.at_level(logging.ERROR):
        answer = raw(forum, "GET", f"{API}/nodes", {"X-Request-Id": "from-the-proxy-1"})
    assert answer.status_int == 500
    assert answer.json == {"error": "The server made a mistake; it has been written down."}
    assert answer.headers["X-Request-Id"] == "from-the-proxy-1"
    record = next(one for one in caplog.records if one.exc_info)
    assert "from-the-proxy-1" in record.getMessage()
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == broken


def test_an_unexpected_exception_takes_back_what_was_written(forum, alice, topic, monkeypatch):
    def announce_and_fail(announce: Any, *given: Any) -> None:
        announce(*given)
        raise ZeroDivisionError

    for service in (topic_service, replies):
        failing = partial(announce_and_fail, service.notify_and_count)
        monkeypatch.setattr(service, "notify_and_count", failing)
    sent = {"title": "T", "node_id": forum.node("Second"), "body": "B"}
    before = dump(forum.database)
    assert alice.call("POST", "/topics", sent).status_int == 500
    assert alice.post(f"/topics/{topic}/replies", body="B").status_int == 500
    assert dump(forum.database) == before


def test_every_error_is_json_and_names_the_request(forum, broken):
    answers = [
        raw(forum, "GET", f"{API}/topics?limit=0"),
        raw(forum, "GET", f"{API}/hello"),
        raw(forum, "GET", f"{API}/nothing"),
        raw(forum, "PUT", f"{API}/topics"),
        raw(forum, "GET", f"{API}/nodes"),
        raw(forum, "GET", f"{API}/x?%ff"),
        raw(forum, "GET", "/nothing/at/all"),
    ]
    assert [one.status_int for one in answers] == [400, 401, 404, 405, 500, 400, 404]
    for answer in answers:
        assert answer.headers["Content-Type"] == "application/json"
        assert isinstance(answer.json["error"], str)
        assert answer.json["error"]
        assert set(answer.json) == {"error"}
        assert len(answer.headers["X-Request-Id"]) == 32


@each("given", ["x", "a b c d e f g h", "x" * 65, "<script>alert(1)</script>"])
def test_a_request_id_that_is_none_is_replaced(forum, given):
    assert (
        raw(forum, "GET", f"{API}/nodes", {"X-Request-Id": given}).headers["X-Request-Id"].isalnum()
    )


def test_no_token_reaches_the_log(forum, alice, broken, caplog):
    with caplog.at_level(logging.DEBUG):
        raw(forum, "GET", f"{API}/nodes?access_token={alice.token}")
        raw(forum, "GET", f"{API}/nodes", {"Authorization": f"Bearer {alice.token}"})
        raw(forum, "GET", f"{API}/hello?access_token={alice.token}x")
    assert alice.token is not None
    assert caplog.text
    assert alice.token not in caplog.text


def test_a_failed_request_leaves_no_trace(forum, alice, topic):
    bob = forum.person("bob")
    reply = forum.reply(bob, topic)
    alice.post(f"/topics/{topic}/action", type="close")
    carol = forum.person("carol", scope="read")
    node = forum.node("Second")
    before = dump(forum.database)
    for caller in (bob, carol, forum.nobody, forum.caller("wrong")):
        failed = [
            caller.post("/topics", title="", node_id=node, body="B"),
            caller.post("/topics", title="T", node_id=7_000, body="@alice"),
            caller.put(f"/topics/{topic}", title="T", node_id=node, body="B"),
            caller.delete(f"/topics/{topic}"),
            caller.post(f"/topics/{topic}/replies", body="@alice"),
            caller.post(f"/topics/{topic}/action", type="open"),
            caller.post(f"/replies/{reply}", body="@alice"),
            caller.delete(f"/replies/{reply}"),
            caller.post(f"/users/{bob.id}/follow"),
            caller.post("/likes", obj_type="topic", obj_id=7_000),
            caller.post("/notifications/read", ids=7_000),
            caller.call("POST", "/photos", upload_files=[("file", "a.png", b"GIF89a")]),
        ]
        assert {400, 401, 403, 404} >= {one.status_int for one in failed}
    assert dump(forum.database) == before
