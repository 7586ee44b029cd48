"""The workers of one process, lent to its threads."""

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
    """No worker became free in time."""


class WorkerPool:
    """Has `size` places, and a worker in each that was needed at some time.

    Nobody waits behind a text that takes long: its worker is set aside, and its place is free.
    There are as many aside as `_ASIDE_PER_PLACE` says, which bounds the memory that they take.
    killed: how many were killed because a text took too long, or was too much for them.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.killed = 0
        self._reset()
        _pools.add(self)

    def start(self) -> None:
        """Start the fork server where none runs, so that a worker can be had within milliseconds.

        Raises OSError where it does not start.
        """
        with self._changed:
            self._ensure_fork_server()

    @contextmanager
    def acquire(self, deadline: float) -> Iterator[WorkerProcess]:
        """Lend a worker to the calling thread; it is killed where that raises.

        Raises BusyError where no place is free until `deadline` (monotonic), OSError where no
        worker can be had.
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
        """Free the place of a lent worker, whose text takes long, if there is room aside."""
        with self._changed:
            if len(self._overflow) < _OVERFLOW_PER_SLOT * self._size:
                self._busy.remove(worker)
                self._overflow.add(worker)
                self._changed.notify()

    @property
    def alive(self) -> int:
        """How many workers run."""
        with self._changed:
            busy = len(self._busy) + len(self._overflow)
            return busy + sum(worker.alive for worker in self._idle)

    def close(self, seconds: float) -> None:
        """End the workers; those at work may finish first, within `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._busy or self._overflow), seconds)
            self._stop()

    def reset_after_fork(self) -> None:
        """Begin anew in a forked child: workers and whoever held the lock are the parent's."""
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
            worker = self._idle.pop()  # the last: it is warm
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
