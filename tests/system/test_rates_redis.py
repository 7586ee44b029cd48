"""Two servers that count requests in one Redis, which hangs, dies and recovers."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.databases import on_sqlite
from tests.functional.forum import API
from tests.system.forum_process import serving
from tests.system.process import wait_until
from tests.system.pserve import Pserve, Response
from tests.system.redis_server import Redis, running_redis


@pytest.fixture
def shared() -> Iterator[Redis]:
    with running_redis() as running:
        yield running


def ask(server: Pserve) -> Response:
    """Call the API anonymously from this address."""
    return server.get(f"{API}/nodes")


def left(answer: Response) -> str | None:
    """Return the remaining requests in a response's headers; None if nothing was counted."""
    return answer.headers.get("ratelimit", "").partition(";t=")[0] or None


@on_sqlite
def test_servers_share_a_limit_and_serve_on_without_their_redis(tmp_path, database_url, shared):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    by_port, by_socket = shared.addresses
    limit: dict[str, Any] = {"rate_limit__requests": "4/hour"}
    with (
        serving(tmp_path / "here", database_url, rate_limit__storage=by_port, **limit) as here,
        serving(tmp_path / "there", database_url, rate_limit__storage=by_socket, **limit) as there,
    ):
        answers = [ask(server) for server in (here, there, here, there, here, there)]
        assert [answer.status for answer in answers] == [200, 200, 200, 200, 429, 429]
        rest = [f'"default";r={number}' for number in (3, 2, 1, 0)]
        assert [left(answer) for answer in answers[:4]] == rest

        # One finds that it hangs, the other that it is gone; nobody is refused for that.
        shared.hang()
        first = ask(here)
        shared.kill()
        without = [first, *(ask(server) for server in (there, here, there, here))]
        assert [(answer.status, left(answer)) for answer in without] == [(200, None)] * 5
        for server in (here, there):
            assert server.log.count("rate_limit.storage does not answer, nothing is counted") == 1

        # It has forgotten all, and is asked again some seconds later.
        shared.start()
        wait_until(lambda: left(ask(here)) == '"default";r=3', "one counts again")
        wait_until(lambda: left(ask(there)) == '"default";r=2', "the other counts with it")

        # A restart between two calls goes unnoticed.
        shared.kill()
        shared.start()
        answers = [ask(server) for server in (here, there, here, there, here)]
        assert [answer.status for answer in answers] == [200, 200, 200, 200, 429]
        assert left(answers[0]) == '"default";r=3'
