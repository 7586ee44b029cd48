"""The background worker runs its tasks in threads, each under a lease, until it is stopped."""

import threading
from dataclasses import dataclass, field

import pytest
from sqlalchemy.exc import OperationalError

from forumsvc.background import worker as background_worker
from forumsvc.background.worker import BackgroundWorker, HeldLease
from forumsvc.db.engine import Database
from forumsvc.services import leases

SECONDS = 30


@dataclass
class Recorder:
    """A task that counts its runs; `error` is raised by the first one."""

    name: str
    interval: float = 0.01
    error: Exception | None = None
    needs_lease: bool = True
    runs: int = 0
    has_run_twice: threading.Event = field(default_factory=threading.Event)
    has_forgotten: threading.Event = field(default_factory=threading.Event)

    def run(self) -> bool:
        self.runs += 1
        if self.runs >= 2:
            self.has_run_twice.set()
        if self.runs == 1 and self.error is not None:
            raise self.error
        return False

    def forget(self) -> None:
        self.has_forgotten.set()


def stop(worker: BackgroundWorker) -> None:
    worker.stop()
    for thread in worker.threads:
        thread.join(SECONDS)
    assert worker.unfinished() == []


def test_a_task_that_fails_is_run_again_and_stops_no_other(database: Database) -> None:
    failing = Recorder("failing", error=RuntimeError("a mistake"))
    working = Recorder("working")
    worker = BackgroundWorker(database, [failing, working])
    worker.start()
    assert failing.has_run_twice.wait(SECONDS)
    assert working.has_run_twice.wait(SECONDS)
    stop(worker)
    assert worker.stats["failing"].failures == 1
    assert worker.stats["working"].failures == 0


def test_a_worker_without_the_lease_does_nothing_and_takes_over_when_it_is_released(
    database: Database,
) -> None:
    first, second = Recorder("task"), Recorder("task")
    workers = [BackgroundWorker(database, [task]) for task in (first, second)]
    workers[0].start()
    assert first.has_run_twice.wait(SECONDS)
    workers[1].start()
    # What metrics ask of it would be as old as its last look.
    assert second.has_forgotten.wait(SECONDS)
    assert second.runs == 0
    assert not first.has_forgotten.is_set()
    stop(workers[0])
    assert second.has_run_twice.wait(SECONDS)
    stop(workers[1])
    assert leases.holder(database.executor, "task") is None


def test_a_worker_takes_its_own_lease_again_at_once_after_a_failed_renewal(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each call renews.
    monkeypatch.setattr(background_worker, "_RENEW_SECONDS", 0)
    lease, other = (HeldLease(database, "task", holder) for holder in ("one", "two"))
    assert lease.is_held()

    def fail(*args: object) -> bool:
        raise OperationalError("INSERT INTO leases", {}, Exception("a hiccup"))

    with monkeypatch.context() as patch:
        patch.setattr(leases, "acquire", fail)
        with pytest.raises(OperationalError):
            lease.is_held()
    assert not other.is_held()
    assert lease.is_held()
