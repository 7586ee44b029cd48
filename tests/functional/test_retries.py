"""A retried request is one request: one id, one log line, one count."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from forumsvc.services.moderation import reports
from forumsvc.services.posts import replies
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.metric_samples import MetricSamples
from tests.functional.raw import raw

pytestmark = pytest.mark.both_databases

Reply = Callable[..., Any]
GIVEN_ID = "from-the-proxy-1"


class Deadlock(Exception):
    """The error of the driver for the victim of a deadlock."""

    sqlstate = "40P01"


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    return make_forum(metrics__enabled="true")


@pytest.fixture
def reply(forum: Forum, monkeypatch: pytest.MonkeyPatch) -> Reply:
    """A function that replies while the first attempts fail with a deadlock."""
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    create = replies.create
    left = [0]

    def losing(*given: Any, **named: Any) -> Any:
        if left[0]:
            left[0] -= 1
            error = Deadlock("deadlock detected\nDETAIL:  Process 1 waits for 2.")
            raise OperationalError("SELECT users.id\nFROM users", {}, error)
        return create(*given, **named)

    monkeypatch.setattr(replies, "create", losing)

    def reply(losses: int, **headers: str) -> Any:
        left[0] = losses
        return alice.call("POST", f"/topics/{topic}/replies", {"body": "B"}, headers=headers)

    return reply


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.INFO, "forumsvc"):
        yield caplog


def access_lines(log: pytest.LogCaptureFixture) -> list[str]:
    lines = [one.getMessage() for one in log.records if one.name == "forumsvc.access"]
    return [line for line in lines if "/replies" in line]


def counted(forum: Forum) -> dict[str, float]:
    """Return how many replies were counted, by kind of status."""
    figures = MetricSamples.of(raw(forum, "GET", "/metrics").text)
    name, operation = "forumsvc_requests_total", "replies.create_reply"
    return {
        status: figures.sum(name, operation=operation, status=status) for status in ("2xx", "5xx")
    }


def test_a_request_keeps_the_id_that_it_got_first_when_it_is_tried_again(reply, log):
    answer = reply(2)
    assert answer.status_int == 201
    [line] = access_lines(log)
    assert " 201 " in line
    retried = [one for one in log.messages if "is tried again" in one]
    assert [one.split()[1] for one in retried] == [answer.headers["X-Request-Id"]] * 2


def test_a_request_is_counted_once_however_often_it_is_tried(forum, reply):
    assert reply(2).status_int == 201
    assert counted(forum) == {"2xx": 1, "5xx": 0}
    assert reply(3).status_int == 503
    assert counted(forum) == {"2xx": 1, "5xx": 1}


def test_a_deadlock_is_an_error_in_the_log_only_where_no_attempt_is_left(reply, log):
    assert reply(2).status_int == 201
    assert [one for one in log.records if one.levelno >= logging.WARNING] == []
    assert reply(3, **{"X-Request-Id": GIVEN_ID}).status_int == 503
    [failed] = [one for one in log.records if one.levelno >= logging.WARNING]
    assert failed.levelno == logging.ERROR
    assert GIVEN_ID in failed.getMessage()


def test_an_error_of_the_database_is_one_line_of_the_log(reply, log):
    assert reply(3).status_int == 503
    for record in log.records:
        assert len(logging.Formatter().format(record).splitlines()) == 1, record
    assert "deadlock detected DETAIL" in log.text


def test_a_report_that_is_tried_again_counts_once(make_forum, monkeypatch):
    forum = make_forum(rate_limit__reports="1/day")
    alice = forum.person("alice")
    topic = forum.topic(forum.person("bob"), forum.node())
    create = reports.report
    losses = [1]

    def losing(*given: Any, **named: Any) -> Any:
        if losses:
            losses.pop()
            raise OperationalError("SELECT", {}, Deadlock("deadlock detected"))
        return create(*given, **named)

    monkeypatch.setattr(reports, "report", losing)
    about = {"obj_type": "topic", "obj_id": topic, "category": "spam"}
    assert alice.post("/reports", **about).status_int in (200, 201)
    assert losses == []
    assert alice.post("/reports", **about).status_int == 429
