"""What a request leaves to be written behind it, by a thread that the first one starts.

Values are gathered in memory and written together at most every second, so a process that is killed
loses no more than that.
"""

import logging
import threading
from abc import ABC, abstractmethod
from math import inf
from time import monotonic
from typing import Generic, TypeVar

from ..errors import single_line_message
from .engine import Database
from .failures import DATABASE_ERRORS

Key = TypeVar("Key")
Value = TypeVar("Value")

_MOST = 10_000
"""Values that wait; then what is new is lost."""

_SECONDS = 1.0
"""Between two writes."""

_SECONDS_TO_STOP = 2.0


class DeferredWrites(ABC, Generic[Key, Value]):
    """Values by key that wait to be written. Thread-safe.

    name: of the thread; words: for the log, what is written.
    """

    name: str
    words: str

    def __init__(self, database: Database, interval: float = _SECONDS) -> None:
        """interval: seconds between two writes."""
        self._database = database
        self._log = logging.getLogger(type(self).__module__)
        self._interval = interval
        self._waiting: dict[Key, Value] = {}
        self._lock = threading.Lock()
        self._flush_lock = threading.Lock()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @abstractmethod
    def _merge(self, former: Value, value: Value) -> Value:
        """Return what is written of two values of a key."""

    @abstractmethod
    def _write(self, waiting: dict[Key, Value], until: float) -> None:
        """Write values, and remove each when that is done.

        until: the monotonic time after which no transaction begins. Raises DATABASE_ERRORS.
        """

    def _add(self, key: Key, value: Value) -> None:
        """Have a value written later; nothing is done while too many wait."""
        with self._lock:
            if key in self._waiting:
                self._waiting[key] = self._merge(self._waiting[key], value)
            elif len(self._waiting) < _MOST:
                self._waiting[key] = value
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
                self._thread.start()
        self._wake.set()

    def finish(self, until: float = inf) -> None:
        """Write all that was added before. Raises DATABASE_ERRORS; what is not written waits.

        until: the monotonic time after which no transaction begins; the rest is lost.
        """
        with self._flush_lock:
            with self._lock:
                waiting, self._waiting = self._waiting, {}
            try:
                self._write(waiting, until)
                if waiting:
                    self._log.warning("%s: %d are lost", self.words, len(waiting))
            except DATABASE_ERRORS:
                for key, value in waiting.items():
                    self._add(key, value)
                raise

    def close(self) -> None:
        """Stop the thread, and write what waits, for at most two seconds."""
        until = monotonic() + _SECONDS_TO_STOP
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(_SECONDS_TO_STOP)
            self._finish_or_log(until)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._wake.clear()
            self._finish_or_log()
            self._stop.wait(self._interval)

    def _finish_or_log(self, until: float = inf) -> None:
        try:
            self.finish(until)
        except DATABASE_ERRORS as error:
            reason = single_line_message(error)
            self._log.warning("%s is written later: %s", self.words, reason)
        except Exception:
            # Nobody starts the thread again.
            self._log.exception("%s is not written", self.words)
