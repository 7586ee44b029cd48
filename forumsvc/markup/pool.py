"""The pool of worker processes that the threads of one process share."""

import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from forumsvc.markup.fork_server_process import ForkServerProcess
from forumsvc.markup.worker_process import WorkerProcess

_OVERFLOW_PER_SLOT = 4


class PoolBusyError(Exception):
    """No slot became free in time."""


class WorkerPool:
    """Has `size` slots, each with a worker once it was needed.

    A slow text delays no other: its worker is moved to the overflow, which frees its slot. The
    overflow is limited to `_OVERFLOW_PER_SLOT`, which limits the memory. A worker that finishes in
    the overflow returns to a slot if one is free, and is killed otherwise.
    killed: how many were killed because a text took too long or too much memory.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.killed = 0
        self._reset()
        _pools.add(self)

    def start(self) -> None:
        """Start the fork server if none runs, so that a worker can start within milliseconds.

        Raises OSError if it does not start.
        """
        with self._changed:
            self._ensure_fork_server()

    @contextmanager
    def acquire(self, deadline: float) -> Iterator[WorkerProcess]:
        """Acquire a worker for the calling thread; it is killed if the block raises.

        Raises PoolBusyError if no slot is free until `deadline` (monotonic), OSError if no worker
        can be started.
        """
        worker = self._get_worker(deadline)
        try:
            yield worker
        except BaseException:
            worker.retired = True
            with self._changed:
                self.killed += 1
            raise
        finally:
            self._release(worker)

    def move_to_overflow(self, worker: WorkerProcess) -> None:
        """Free the slot of a worker whose text is slow, if there is room in the overflow."""
        with self._changed:
            if len(self._overflow) < _OVERFLOW_PER_SLOT * self._size:
                self._busy.remove(worker)
                self._overflow.add(worker)
                self._changed.notify()

    @property
    def alive(self) -> int:
        """How many workers are running."""
        with self._changed:
            busy = len(self._busy) + len(self._overflow)
            return busy + sum(worker.alive for worker in self._idle)

    def close(self, seconds: float) -> None:
        """Stop the workers; busy ones may finish first, within `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._busy or self._overflow), seconds)
            self._stop()

    def reset_after_fork(self) -> None:
        """Start empty in a forked child: workers and lock holders belong to the parent."""
        fork_server, workers = self._fork_server, [*self._idle, *self._busy, *self._overflow]
        self._reset()
        for worker in workers:
            worker.close()
        if fork_server:
            fork_server.close_after_fork()

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._fork_server: ForkServerProcess | None = None
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._overflow: set[WorkerProcess] = set()

    def _get_worker(self, deadline: float) -> WorkerProcess:
        with self._changed:
            if not self._changed.wait_for(self._has_free_slot, deadline - time.monotonic()):
                raise PoolBusyError
            worker = self._pop_idle() or self._ensure_fork_server().fork()
            self._busy.add(worker)
            return worker

    def _release(self, worker: WorkerProcess) -> None:
        with self._changed:
            self._busy.discard(worker)
            self._overflow.discard(worker)
            fork_server = self._fork_server
            stays = not worker.retired and len(self._busy) + len(self._idle) < self._size
            if stays:
                self._idle.append(worker)
            self._changed.notify_all()
        if stays:
            return
        if fork_server:
            fork_server.kill(worker)
        else:
            worker.close()

    def _has_free_slot(self) -> bool:
        return len(self._busy) < self._size

    def _pop_idle(self) -> WorkerProcess | None:
        while self._idle:
            worker = self._idle.pop()  # the most recently used: its caches are warm
            if worker.alive:
                return worker
            self._ensure_fork_server().kill(worker)
        return None

    def _ensure_fork_server(self) -> ForkServerProcess:
        if self._fork_server is None or not self._fork_server.alive:
            self._stop()
            self._fork_server = ForkServerProcess()
        return self._fork_server

    def _stop(self) -> None:
        if self._fork_server:
            for worker in self._idle:
                self._fork_server.kill(worker)
            self._fork_server.close()
            self._fork_server = None
        self._idle.clear()


_pools: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


def _reset_all_after_fork() -> None:
    for pool in _pools:
        pool.reset_after_fork()


os.register_at_fork(after_in_child=_reset_all_after_fork)
