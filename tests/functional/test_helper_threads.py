"""The threads of a web process survive what no one has thought of: nobody starts them again."""

import threading
from typing import Any, Protocol

import pytest
from sqlalchemy import event

from forumsvc.db.engine import Database
from forumsvc.services.notifications.read_marker import ReadMarker
from forumsvc.services.posts.view_counts import ViewCounter

INTERVAL = 0.01
SECONDS = 30


class Helper(Protocol):
    def close(self) -> None: ...


def count_views(database: Database) -> Helper:
    counter = ViewCounter(database, INTERVAL)
    counter.count(1)
    return counter


def mark_read(database: Database) -> Helper:
    marker = ReadMarker(database)
    for topic_id in (1, 2):
        marker.opened(1, topic_id, [])
    return marker


@pytest.mark.parametrize("start", [count_views, mark_read])
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
        assert goes_on.wait(SECONDS)
    finally:
        helper.close()
        for engine in (database.reads, database.writes):
            event.remove(engine, "before_cursor_execute", fail_first)
    assert "RuntimeError: a mistake" in caplog.text
