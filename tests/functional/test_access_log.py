"""The access log: a line for each request with the caller and the address, and no secret."""

import logging
import re
from collections.abc import Iterator

import pytest

from forumsvc.log_lines import LineFormatter
from tests.cases import each
from tests.functional.forum import API
from tests.functional.pages.visitor import Visitor, with_password
from tests.functional.raw import raw


@pytest.fixture
def access(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What is logged, INFO too."""
    with caplog.at_level(logging.INFO, "forumsvc.access"):
        yield caplog


def logged(access: pytest.LogCaptureFixture) -> str:
    """Return the last line of the access log."""
    lines = [one.getMessage() for one in access.records if one.name == "forumsvc.access"]
    return lines[-1]


def test_a_line_has_address_user_method_path_status_and_time(forum, alice, access):
    environ = {"REMOTE_ADDR": "2001:db8::7"}
    answer = forum.app.get(
        f"{API}/users/me?access_token={alice.token}&limit=5", extra_environ=environ
    )
    assert answer.status_int == 200
    assert re.fullmatch(
        rf"2001:db8::7 {alice.id} GET {API}/users/me 200 \d+\.\d ms", logged(access)
    )
    assert str(alice.token) not in access.text


def test_each_record_of_a_request_can_show_its_id(forum, access):
    access.handler.setFormatter(LineFormatter("%(request_id)s %(message)s"))
    logging.getLogger("forumsvc").warning("before any request")
    answers = [forum.app.get(f"{API}/nodes") for _ in range(2)]
    lines = [line.split(" ")[0] for line in access.text.splitlines()]
    assert lines == ["-", *(answer.headers["X-Request-Id"] for answer in answers)]


def test_nobody_has_a_dash_for_the_user(forum, access):
    raw(forum, "GET", f"{API}/nodes", {"Authorization": "Bearer a-wrong-token"})
    assert f" - GET {API}/nodes 401 " in logged(access)
    assert "a-wrong-token" not in access.text


def test_whoever_is_logged_in_on_the_pages_is_named(forum, access):
    ann = with_password(forum)
    visitor = Visitor(forum, REMOTE_ADDR="192.0.2.4")
    visitor.log_in()
    visitor.get("/applications")
    assert logged(access).startswith(f"192.0.2.4 {ann} GET /applications 200 ")


@each("forged", ["%0A192.0.2.9 1 GET / 200", "%1b[2J", "%E2%80%A8", "%C2%85"])
def test_a_path_forges_no_line(forum, access, forged):
    raw(forum, "GET", f"{API}/{forged.replace(' ', '%20')}")
    line = logged(access)
    assert line.isprintable()
    assert line.isascii()


def test_an_address_forges_no_line(forum, access):
    environ = {"REMOTE_ADDR": "192.0.2.1\n192.0.2.9 1 GET / 200"}
    forum.app.get("/", extra_environ=environ)
    assert logged(access).isprintable()
