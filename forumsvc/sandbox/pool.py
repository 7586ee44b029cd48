"""Sandbox processes that are kept between short tasks and shared by the threads of a process."""

import logging
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .errors import DeadlineError, PoolBusyError, SandboxError
from .process import SandboxProcess

log = logging.getLogger(__name__)

_SLOW = 0.1
"""A job is slow when it has run for this share of the processor time that it may take."""

_MAX_PER_SLOT = 5


class SandboxPool:
    """Runs jobs of one task in processes that start when they are needed. Thread- and fork-safe.

    `size` processes run jobs. Beside slow jobs others start, so that no job has to wait until a
    slow one ends: up to five times `size` in all. When the jobs are done, `size` are kept.
    killed: how many were killed because a job had no result.
    """

    def __init__(self, task: str, size: int, max_memory: int) -> None:
        """Prepare only. task, max_memory: see SandboxProcess."""
        self._task = task
        self._size = size
        self._max_memory = max_memory
        self.killed = 0
        self._reset()
        _pools.add(self)

    def run(self, job: Any, cpu_seconds: float, wall_seconds: float) -> dict[str, Any]:
        """Return the result of a job, see `child`.

        cpu_seconds: the processor time that it may take. wall_seconds: how long it may take by the
        clock, with the wait for a process, without the start of one.
        Raises SandboxError, and OSError if no process can be started.
        """
        deadline = time.monotonic() + wall_seconds
        with self._acquire(deadline) as process:
            started = time.monotonic()
            process.wait_until_ready()
            now = time.monotonic()
            deadline += now - started
            process.send(job, cpu_seconds, deadline)
            try:
                return process.receive(min(deadline, now + _SLOW * cpu_seconds))
            except DeadlineError:
                with self._changed:
                    self._start_spares(_MAX_PER_SLOT * self._size)
                return process.receive(deadline)

    def start(self) -> None:
        """Before the first job: start the processes and wait until they are ready.

        Raises OSError if one does not start, each after 15 seconds.
        """
        with self._changed:
            while len(self._idle) + len(self._busy) < self._size:
                self._idle.append(self._start())
        for process in self._idle:
            process.wait_until_ready()

    @property
    def alive(self) -> int:
        """How many processes are running."""
        with self._changed:
            return len(self._busy) + sum(process.alive for process in self._idle)

    def close(self, seconds: float) -> None:
        """Kill the processes; busy ones may finish first, within `seconds`.

        A later job starts new ones.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._busy, seconds)
            while self._idle:
                self._idle.pop().kill()

    def reset_after_fork(self) -> None:
        """Start empty in a forked child: processes and lock holders belong to the parent."""
        processes = [*self._idle, *self._busy]
        self._reset()
        for process in processes:
            process.close_after_fork()

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._idle: list[SandboxProcess] = []
        self._busy: set[SandboxProcess] = set()
        self._waiting = 0

    @contextmanager
    def _acquire(self, deadline: float) -> Iterator[SandboxProcess]:
        """Reserve a process for the calling thread; it is killed if the block raises."""
        process = self._get_process(deadline)
        try:
            yield process
        except BaseException as error:
            process.retired = True
            with self._changed:
                self.killed += isinstance(error, SandboxError)
            raise
        finally:
            self._release(process)

    def _get_process(self, deadline: float) -> SandboxProcess:
        with self._changed:
            self._waiting += 1
            try:
                if not self._changed.wait_for(
                    lambda: self._idle or len(self._busy) < self._size, deadline - time.monotonic()
                ):
                    raise PoolBusyError
            finally:
                self._waiting -= 1
            process = self._pop_idle() or self._start()
            self._busy.add(process)
            self._start_spares(self._size)
            return process

    def _pop_idle(self) -> SandboxProcess | None:
        while self._idle:
            process = self._idle.pop()  # the most recently used: it is ready, its caches are warm
            if process.alive:
                return process
            process.kill()
        return None

    def _start_spares(self, most: int) -> None:
        """Start a process for each job that waits, and one for the next: `most` in all."""
        while len(self._idle) <= self._waiting and len(self._idle) + len(self._busy) < most:
            try:
                self._idle.insert(0, self._start())  # taken last: it is not ready yet
            except OSError as error:
                # The job that has a process already must not fail for want of another.
                log.warning("a sandbox process could not be started: %s", error)
                break
        self._changed.notify_all()

    def _start(self) -> SandboxProcess:
        return SandboxProcess(self._task, self._max_memory)

    def _release(self, process: SandboxProcess) -> None:
        with self._changed:
            self._busy.discard(process)
            stays = not process.retired and len(self._idle) < self._size
            if stays:
                self._idle.append(process)
            self._changed.notify_all()
        if not stays:
            process.kill()


_pools: weakref.WeakSet[SandboxPool] = weakref.WeakSet()


def _reset_all_after_fork() -> None:
    for pool in _pools:
        pool.reset_after_fork()


os.register_at_fork(after_in_child=_reset_all_after_fork)
