"""The PostgreSQL that the tests start: one for all processes, and stopped with the last."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import postgres
from tests.system.process import alive, prepare_child, wait_until

USER = """
import sys
from pathlib import Path
from tests import postgres

shared = Path(sys.argv[1])
url = postgres.server(shared)
made = []
postgres.template_database(shared, url, made.append, "template_of_two")
print(url, len(made), flush=True)
sys.stdin.read()
"""
ROOT = Path(__file__).parents[2]

Start = Callable[[], "subprocess.Popen[str]"]


@pytest.fixture
def start_user(tmp_path: Path) -> Iterator[Start]:
    """A function: start a process that uses the server of `tmp_path` until its input is closed."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        user = subprocess.Popen(
            [sys.executable, "-c", USER, str(tmp_path)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=prepare_child,
            text=True,
        )
        started.append(user)
        return user

    yield start
    for user in started:
        user.kill()
        user.communicate()
    assert postgres.release(tmp_path, wait=30), "The server outlived its users."


def read_announcement(user: "subprocess.Popen[str]") -> tuple[str, int]:
    """Return the URL that a started user got, and how many templates it created."""
    assert user.stdout
    url, made = user.stdout.readline().split()
    return url, int(made)


def ask(url: str, question: str) -> Any:
    """Return the first value of a query's result."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        answer = connection.execute(question.encode()).fetchone()
    assert answer
    return answer[0]


def test_two_processes_at_once_share_one_server_and_one_template(start_user: Start) -> None:
    first, second = start_user(), start_user()
    (url, made), (other_url, other_made) = read_announcement(first), read_announcement(second)
    assert url == other_url
    assert sorted([made, other_made]) == [0, 1]
    first.communicate()
    assert first.returncode == 0
    assert ask(url, "SELECT 1") == 1, "The server left with the first of its users."


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_when_the_last_user_is_killed(
    end: signal.Signals, start_user: Start, tmp_path: Path
) -> None:
    user = start_user()
    url, _ = read_announcement(user)
    data = Path(ask(url, "SHOW data_directory"))
    server = postgres.server_pid(url)
    os.killpg(user.pid, end)
    wait_until(lambda: not alive(server), "PostgreSQL ends after its last user")
    wait_until(lambda: not data.parent.exists(), "its files go")
    assert postgres.release(tmp_path, wait=30)


def test_server_ends_with_its_keeper_and_is_started_anew(start_user: Start, tmp_path: Path) -> None:
    user = start_user()
    url, _ = read_announcement(user)
    server = postgres.server_pid(url)
    keeper = int(Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(keeper, signal.SIGTERM)
    wait_until(lambda: not alive(server), "PostgreSQL ends with its keeper")
    second = start_user()
    new_url, made = read_announcement(second)
    assert made == 1
    assert ask(new_url, "SELECT 1") == 1


def test_a_template_that_failed_is_made_again(tmp_path: Path) -> None:
    url = postgres.server(tmp_path)
    try:
        with pytest.raises(ZeroDivisionError):
            postgres.template_database(tmp_path, url, divide_by_zero)
        template = postgres.template_database(tmp_path, url, make_table)
        copy = postgres.create_database(url, "copy", template)
        assert ask(copy, "SELECT n FROM made") == 5
        postgres.drop_database(copy)
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            ask(copy, "SELECT 1")
    finally:
        assert postgres.release(tmp_path, wait=30)


def divide_by_zero(_url: str) -> None:
    """Fail while filling the template."""
    raise ZeroDivisionError


def make_table(url: str) -> None:
    """Fill the template."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("CREATE TABLE made AS SELECT 5 AS n")
