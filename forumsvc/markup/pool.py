"""The workers of one process, lent to its threads."""

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from forumsvc.markup.worker_process import WorkerProcess


class BusyError(Exception):
    """No worker became free in time."""


class Pool:
    """Starts `size` workers when the first is asked for, and again those that ended.

    Texts that may take long never hold the last of several workers, so that short ones pass.
    killed: how many were killed because a text took too long, or was too much for them.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.killed = 0
        self._begin()
        _pools.add(self)

    def start(self) -> None:
        """Start the workers that are missing; they load their libraries meanwhile."""
        with self._changed:
            for _ in range(self._size - len(self._workers)):
                worker = WorkerProcess()
                self._workers.add(worker)
                self._idle.insert(0, worker)  # taken last: it is not ready yet

    @contextmanager
    def lend(self, seconds: float, *, long: bool) -> Iterator[WorkerProcess]:
        """Lend a worker to the calling thread; it is killed and replaced where that raises.

        seconds: how long to wait for one, else BusyError; long: whether the text may take long.
        """
        worker = self._take(seconds, long)
        try:
            yield worker
        except BaseException:
            worker.retired = True
            with self._changed:
                self.killed += 1
            raise
        finally:
            self._give_back(worker, long)

    @property
    def alive(self) -> int:
        """How many workers run."""
        with self._changed:
            return sum(worker.alive for worker in self._workers)

    def close(self, seconds: float) -> None:
        """End the workers; those at work may finish first, within `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._idle) == len(self._workers), seconds)
            workers = self._workers
            self._begin()
        for worker in workers:
            worker.close()

    def disown(self) -> None:
        """Begin anew in a forked child: workers and whoever held the lock are the parent's."""
        workers = self._workers
        self._begin()
        for worker in workers:
            worker.disown()

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._workers: set[WorkerProcess] = set()
        self._idle: list[WorkerProcess] = []
        self._long = 0

    def _take(self, seconds: float, long: bool) -> WorkerProcess:
        with self._changed:
            self._replace_dead()
            if not self._changed.wait_for(lambda: self._is_free(long), seconds):
                raise BusyError
            self._long += long
            return self._idle.pop()

    def _give_back(self, worker: WorkerProcess, long: bool) -> None:
        with self._changed:
            self._long -= long
            self._idle.append(worker)  # taken next: it is warm
            if worker.retired:
                self._replace_dead()
            self._changed.notify_all()

    def _is_free(self, long: bool) -> bool:
        return bool(self._idle) and not (long and self._long >= max(1, self._size - 1))

    def _replace_dead(self) -> None:
        for worker in [worker for worker in self._idle if not worker.alive]:
            worker.kill()
            self._idle.remove(worker)
            self._workers.remove(worker)
        self.start()


_pools: weakref.WeakSet[Pool] = weakref.WeakSet()


def _disown_all() -> None:
    for pool in _pools:
        pool.disown()


os.register_at_fork(after_in_child=_disown_all)
