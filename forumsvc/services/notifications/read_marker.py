"""Marks the notifications of what a page of a topic shows as read, behind the request.

The request only reads. What is lost with a killed process stays unread, and is marked when the
topic is opened again.
"""

import logging
import queue
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, or_, select

from ... import clock
from ...db.engine import Database
from ...db.failures import DATABASE_ERRORS
from ...errors import single_line_message
from ...models import Notification
from . import inbox

log = logging.getLogger(__name__)

_MOST = 1_000
_SECONDS_TO_STOP = 2.0
_Opened = tuple[int, int, Sequence[int]]


class ReadMarker:
    """Marks notifications as read in a thread of its own, which the first one starts."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._opened: queue.Queue[_Opened | None] = queue.Queue(_MOST)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def opened(self, user_id: int, topic_id: int, reply_ids: Sequence[int]) -> None:
        """Mark later what tells the user of the topic and of the replies that they saw.

        Nothing is done while too many wait.
        """
        try:
            self._opened.put_nowait((user_id, topic_id, reply_ids))
        except queue.Full:
            return
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="read-marks", daemon=True)
                self._thread.start()

    def finish(self) -> None:
        """Wait until all that was opened before is marked."""
        self._opened.join()

    def close(self) -> None:
        """Mark what waits, for at most two seconds, and stop the thread."""
        if self._thread is not None:
            try:
                self._opened.put(None, timeout=_SECONDS_TO_STOP)
            except queue.Full:
                return
            self._thread.join(_SECONDS_TO_STOP)

    def _run(self) -> None:
        while (opened := self._opened.get()) is not None:
            try:
                self._mark(*opened)
            except DATABASE_ERRORS as error:
                log.warning("notifications stay unread: %s", single_line_message(error))
            except Exception:
                # Nobody starts the thread again.
                log.exception("notifications stay unread")
            finally:
                self._opened.task_done()

    def _mark(self, user_id: int, topic_id: int, reply_ids: Sequence[int]) -> None:
        parameters = {"user_id": user_id, "topic_id": topic_id, "reply_ids": reply_ids}
        with self._database.reads.connect() as connection:
            if connection.execute(_select_unread(), parameters).first() is None:
                return
        with self._database.session.begin() as db:
            inbox.mark_topic_read(db, user_id, clock.now(), topic_id, reply_ids)


@cache
def _select_unread() -> Select[Any]:
    columns: list[Any] = [Notification.id]
    return (
        select(*columns)
        .where(
            Notification.user_id == bindparam("user_id"),
            Notification.topic_id == bindparam("topic_id"),
            Notification.read_at.is_(None),
            or_(
                Notification.reply_id.is_(None),
                Notification.reply_id.in_(bindparam("reply_ids", expanding=True)),
            ),
        )
        .limit(1)
    )
