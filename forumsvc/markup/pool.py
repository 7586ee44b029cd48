"""The workers of one process, lent to its threads."""

import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from forumsvc.markup.fork_server_process import ForkServerProcess
from forumsvc.markup.worker_process import WorkerProcess

_ASIDE_PER_PLACE = 4


class BusyError(Exception):
    """No worker became free in time."""


class Pool:
    """Has `size` places, and a worker in each that was needed at some time.

    Nobody waits behind a text that takes long: its worker is set aside, and its place is free.
    There are as many aside as `_ASIDE_PER_PLACE` says, which bounds the memory that they take.
    killed: how many were killed because a text took too long, or was too much for them.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.killed = 0
        self._begin()
        _pools.add(self)

    def start(self) -> None:
        """Start the fork server where none runs, so that a worker can be had within milliseconds.

        Raises OSError where it does not start.
        """
        with self._changed:
            self._running()

    @contextmanager
    def lend(self, deadline: float) -> Iterator[WorkerProcess]:
        """Lend a worker to the calling thread; it is killed where that raises.

        Raises BusyError where no place is free until `deadline` (monotonic), OSError where no
        worker can be had.
        """
        worker = self._take(deadline)
        try:
            yield worker
        except BaseException:
            worker.retired = True
            with self._changed:
                self.killed += 1
            raise
        finally:
            self._give_back(worker)

    def set_aside(self, worker: WorkerProcess) -> None:
        """Free the place of a lent worker, whose text takes long, if there is room aside."""
        with self._changed:
            if len(self._aside) < _ASIDE_PER_PLACE * self._size:
                self._lent.remove(worker)
                self._aside.add(worker)
                self._changed.notify()

    @property
    def alive(self) -> int:
        """How many workers run."""
        with self._changed:
            at_work = len(self._lent) + len(self._aside)
            return at_work + sum(worker.alive for worker in self._idle)

    def close(self, seconds: float) -> None:
        """End the workers; those at work may finish first, within `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._lent or self._aside), seconds)
            self._end()

    def disown(self) -> None:
        """Begin anew in a forked child: workers and whoever held the lock are the parent's."""
        fork_server, workers = self._fork_server, [*self._idle, *self._lent, *self._aside]
        self._begin()
        for worker in workers:
            worker.close()
        if fork_server:
            fork_server.disown()

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._fork_server: ForkServerProcess | None = None
        self._idle: list[WorkerProcess] = []
        self._lent: set[WorkerProcess] = set()
        self._aside: set[WorkerProcess] = set()

    def _take(self, deadline: float) -> WorkerProcess:
        with self._changed:
            if not self._changed.wait_for(self._has_place, deadline - time.monotonic()):
                raise BusyError
            worker = self._idle_one() or self._running().fork()
            self._lent.add(worker)
            return worker

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._changed:
            self._lent.discard(worker)
            self._aside.discard(worker)
            fork_server = self._fork_server
            is_kept = not worker.retired and len(self._lent) + len(self._idle) < self._size
            if is_kept:
                self._idle.append(worker)
            self._changed.notify_all()
        if is_kept:
            return
        if fork_server:
            fork_server.kill(worker)
        else:
            worker.close()

    def _has_place(self) -> bool:
        return len(self._lent) < self._size

    def _idle_one(self) -> WorkerProcess | None:
        while self._idle:
            worker = self._idle.pop()  # the last: it is warm
            if worker.alive:
                return worker
            self._running().kill(worker)
        return None

    def _running(self) -> ForkServerProcess:
        if self._fork_server is None or not self._fork_server.alive:
            self._end()
            self._fork_server = ForkServerProcess()
        return self._fork_server

    def _end(self) -> None:
        if self._fork_server:
            for worker in self._idle:
                self._fork_server.kill(worker)
            self._fork_server.close()
            self._fork_server = None
        self._idle.clear()


_pools: weakref.WeakSet[Pool] = weakref.WeakSet()


def _disown_all() -> None:
    for pool in _pools:
        pool.disown()


os.register_at_fork(after_in_child=_disown_all)
