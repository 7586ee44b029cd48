"""Runs the tasks of the background worker until it is stopped."""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..db.engine import Database
from ..db.failures import DATABASE_ERRORS
from ..errors import single_line_message
from ..services import leases
from .event_consumer import EventConsumer

log = logging.getLogger(__name__)

_RENEW_SECONDS = leases.SECONDS / 3
_TAKEOVER_SECONDS = 5.0


class Task(Protocol):
    """Work that one process at a time does.

    name: of its lease and its thread; interval: seconds between two runs when there is nothing to
    do. A task with threads of its own has a method `close`, which ends them; one that metrics ask
    what it saw, a method `forget`, called while another process has the lease. One with
    `needs_lease = False` is done by each process.
    """

    name: str
    interval: float

    def run(self) -> bool:
        """Do a bounded part of the work, a few seconds at most; return whether there is more.

        It must be safe to repeat, and to be run by two processes at once for a short time.
        """


@dataclass
class TaskStats:
    """What the metrics show of a task: how often it ran, and failed."""

    runs: int = 0
    failures: int = 0


class BackgroundWorker:
    """Runs tasks, each in a thread, while it holds their leases.

    threads: those that were started; stats: by the name of the task; consumers: those of the tasks
    that read events.
    """

    def __init__(self, database: Database, tasks: Sequence[Task]) -> None:
        """Create a worker; it makes no thread and opens no connection before `start`."""
        self._database = database
        self._tasks = tasks
        self.consumers = [task for task in tasks if isinstance(task, EventConsumer)]
        self.threads: list[threading.Thread] = []
        self._stopping = threading.Event()
        self.stats = {task.name: TaskStats() for task in tasks}

    def start(self) -> None:
        """Start the threads, in the process that they shall run in."""
        holder = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        for task in self._tasks:
            needs_lease = getattr(task, "needs_lease", True)
            lease = HeldLease(self._database, task.name, holder) if needs_lease else None
            run = threading.Thread(
                target=self._run_task, args=(task, lease), name=task.name, daemon=True
            )
            self.threads.append(run)
            run.start()

    def stop(self) -> None:
        """Let each task finish the part that it works on, and then end. Returns at once."""
        self._stopping.set()

    def log_if_nobody_works(self) -> None:
        """Log a warning if no process of any host does this work."""
        try:
            is_alive = is_anybody_alive(self._database)
        except DATABASE_ERRORS as error:
            log.warning(
                "It is unknown whether a background worker is alive: %s", single_line_message(error)
            )
            return
        if not is_alive:
            log.warning(
                "No background worker is alive, and this server has worker = false: emails and "
                "webhooks wait. Run `forumsvc work`, or set worker = true on one host."
            )

    def unfinished(self) -> list[str]:
        """Return the names of the tasks that still run."""
        return [thread.name for thread in self.threads if thread.is_alive()]

    def _run_task(self, task: Task, lease: "HeldLease | None") -> None:
        stats = self.stats[task.name]
        while not self._stopping.is_set():
            has_more = False
            try:
                if lease is None or lease.is_held():
                    has_more = task.run()
                    stats.runs += 1
                elif forget := getattr(task, "forget", None):
                    forget()
            except DATABASE_ERRORS as error:
                stats.failures += 1
                log.warning("%s is tried again later: %s", task.name, single_line_message(error))
            except Exception:
                # A mistake in one task must not stop the others.
                stats.failures += 1
                log.exception("%s has failed, and is tried again later", task.name)
            if not has_more:
                self._stopping.wait(task.interval)
        close = getattr(task, "close", None)
        if close is not None:
            close()
        if lease is not None:
            lease.release()


def is_anybody_alive(database: Database) -> bool:
    """Return whether a background worker of any host is alive, or was a moment ago.

    After the end of one, another takes its leases over within that time. Raises SQLAlchemyError.
    """
    left = leases.seconds_left(database.executor)
    return left is not None and left > -_TAKEOVER_SECONDS


class HeldLease:
    """The lease of one task, renewed while the task runs."""

    def __init__(self, database: Database, name: str, holder: str) -> None:
        self._database = database
        self._name = name
        self._holder = holder
        self._renew_at = 0.0
        self._is_held = False

    def is_held(self) -> bool:
        """Return whether this process has the lease; take or renew it where that is due.

        Raises SQLAlchemyError. While another process has it, only reads.
        """
        now = time.monotonic()
        if self._is_held and now < self._renew_at:
            return True
        if not self._is_held:
            # It may be this process's own: one renewal has failed.
            holder = leases.holder(self._database.executor, self._name)
            if holder not in (None, self._holder):
                return False
        self._is_held = False
        with self._database.session.begin() as db:
            acquired = leases.acquire(db, self._name, self._holder)
        # Counted from before the statement: the lease never seems longer than it is.
        self._is_held, self._renew_at = acquired, now + _RENEW_SECONDS
        return acquired

    def release(self) -> None:
        """Give the lease up, so that another process needs not wait for its end."""
        if not self._is_held:
            return
        try:
            with self._database.session.begin() as db:
                leases.release(db, self._name, self._holder)
        except DATABASE_ERRORS as error:
            log.warning("the lease %s stays: %s", self._name, single_line_message(error))
