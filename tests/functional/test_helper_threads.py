"""The threads of a web process survive what no one has thought of: nobody starts them again."""

import threading
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from sqlalchemy import event

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.services.posts.read_marker import ReadMarker
from forumsvc.services.posts.view_counts import ViewCounter
from forumsvc.sessions.session_uses import SessionUses

INTERVAL = 0.01
SECONDS = 30


class Helper(NamedTuple):
    """work: gives the thread something to do, the first time starts it; close: stops it."""

    work: Callable[[], None]
    close: Callable[[], None]


def count_views(database: Database) -> Helper:
    counter = ViewCounter(database, INTERVAL)
    return Helper(partial(counter.count, 1), counter.close)


def mark_read(database: Database) -> Helper:
    marker = ReadMarker(database, INTERVAL)
    return Helper(partial(marker.opened, 1, 1, [], 0, notifies=True), marker.close)


def note_use(database: Database) -> Helper:
    uses = SessionUses(database, INTERVAL)
    session = SimpleNamespace(session_id=1, last_used_at=None)
    return Helper(partial(uses.used, session, "192.0.2.1", clock.now()), uses.close)


@pytest.mark.parametrize("start", [count_views, mark_read, note_use])
def test_a_thread_of_a_web_process_goes_on_after_an_error_that_nobody_expected(
    start, database, caplog
):
    has_failed, goes_on = threading.Event(), threading.Event()

    def fail_first(*args: Any) -> None:
        if not has_failed.is_set():
            has_failed.set()
            raise RuntimeError("a mistake")
        goes_on.set()

    for engine in (database.reads, database.writes):
        event.listen(engine, "before_cursor_execute", fail_first)
    helper = start(database)
    try:
        helper.work()
        assert has_failed.wait(SECONDS)
        helper.work()
        assert goes_on.wait(SECONDS)
    finally:
        helper.close()
        for engine in (database.reads, database.writes):
            event.remove(engine, "before_cursor_execute", fail_first)
    assert "RuntimeError: a mistake" in caplog.text
