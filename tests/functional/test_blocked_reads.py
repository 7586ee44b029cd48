"""Reads of a table that is locked as a whole are refused, and block no threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import text

from forumsvc.db import blocked_reads
from forumsvc.db.blocked_reads import BlockedReads
from tests.databases import on_postgresql
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.test_database_timeouts import assert_come_back


class LockTimeout(Exception):
    """The lock timeout of a driver."""

    sqlstate = "55P03"


@contextmanager
def locked(forum: Forum, table: str) -> Iterator[None]:
    """Hold a table's exclusive lock in another transaction."""
    with forum.database.writes.connect() as other:
        other.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
        yield
        other.rollback()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The current time, in a list of one."""
    now = [1000.0]
    monkeypatch.setattr(blocked_reads.time, "monotonic", lambda: now[0])
    return now


def time_out() -> Any:
    """Raise a lock timeout."""
    raise LockTimeout("canceling statement due to lock timeout")


def never() -> Any:
    """Fail: this must not be called."""
    raise AssertionError("It was run.")


def test_after_a_lock_timeout_the_same_select_is_refused_at_once(clock: list[float]) -> None:
    reads = BlockedReads()
    with pytest.raises(LockTimeout):
        reads.run("topics", time_out)
    with pytest.raises(LockTimeout, match="due to lock timeout"):
        reads.run("topics", never)
    assert reads.run("users", lambda: "others are run") == "others are run"


def test_another_error_refuses_nothing(clock: list[float]) -> None:
    reads = BlockedReads()
    with pytest.raises(ZeroDivisionError):
        reads.run("topics", lambda: 1 / 0)
    assert reads.run("topics", lambda: "run") == "run"


def test_one_thread_at_a_time_retries_and_its_success_ends_the_refusal(clock: list[float]) -> None:
    reads = BlockedReads()
    for name in ("topics", "replies"):
        with pytest.raises(LockTimeout):
            reads.run(name, time_out)
    clock[0] += blocked_reads.REFUSED_FOR_SECONDS

    def tried() -> str:
        for name in ("topics", "replies"):
            with pytest.raises(LockTimeout):
                reads.run(name, never)
        return "free"

    assert reads.run("topics", tried) == "free"
    assert reads.run("replies", lambda: "free") == "free"


def test_a_failed_retry_extends_the_refusal_by_a_second(clock: list[float]) -> None:
    reads = BlockedReads()
    with pytest.raises(LockTimeout):
        reads.run("topics", time_out)
    for _ in range(3):
        clock[0] += blocked_reads.REFUSED_FOR_SECONDS
        with pytest.raises(LockTimeout):
            reads.run("topics", time_out)
        with pytest.raises(LockTimeout):
            reads.run("topics", never)


@pytest.mark.direct
@on_postgresql
def test_readers_of_a_locked_table_get_503_and_others_are_served(make_forum: MakeForum) -> None:
    forum = make_forum(database__read_lock_timeout_seconds="0.2")
    alice, node = forum.person("alice"), forum.node()
    topic = forum.topic(alice, node)
    with locked(forum, "topics"):
        for path in (f"/topics/{topic}", "/users/alice/topics"):
            assert_come_back(forum.nobody.get(path))
        assert forum.nobody.get("/users/alice").status_int == 200
        assert forum.nobody.app.get("/health").status_int == 200
    for path in (f"/topics/{topic}", "/users/alice/topics"):
        # The first in a second would be refused.
        forum.registry.database.executor._blocked_reads._blocked.clear()
        assert forum.nobody.get(path).status_int == 200
