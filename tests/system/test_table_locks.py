"""A lock on a whole table fails only the requests that need it."""

from pathlib import Path
from threading import Event, Thread

import pytest

from forumsvc.db.engine import Database
from tests.functional.forum import API
from tests.system.forum_process import prepare, serving
from tests.system.process import repeat_until, wait_until
from tests.system.test_database_recovery import Caller, Record, administrator

READERS = 40
THREADS = 8
PATHS = ("/topics/{}", "/topics/{}/replies", "/users/alice/topics", "/users/alice/favorites")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True, scope="session")
def test_readers_of_a_locked_table_get_503_and_others_are_served(
    database_url: str, database: Database, tmp_path: Path, record_property: Record
) -> None:
    setting = prepare(database_url, database, tmp_path)
    over = Event()

    def read(path: str, found: list[Caller]) -> None:
        while not over.is_set():
            caller = Caller(service.port, "GET", API + path.format(setting.topics[0]))
            caller()
            found.append(caller)
            over.wait(1.0)  # as Retry-After says

    def start(number: int, paths: tuple[str, ...]) -> tuple[list[Thread], list[list[Caller]]]:
        found: list[list[Caller]] = [[] for _ in range(number)]
        threads = [
            Thread(target=read, args=(paths[at % len(paths)], each))
            for at, each in enumerate(found)
        ]
        for thread in threads:
            thread.start()
        return threads, found

    with (
        serving(
            tmp_path,
            database_url,
            threads=THREADS,
            database__statement_timeout_seconds="off",
            # Its tasks would wait for the lock, too.
            worker=False,
        ) as service,
    ):
        assert service.get("/health").status == 200
        with administrator(database_url) as admin, admin.transaction():
            admin.execute("LOCK TABLE topics IN ACCESS EXCLUSIVE MODE")
            threads, behind = start(READERS, PATHS)
            others: list[Caller] = []
            for _ in repeat_until(
                lambda: all(len(found) >= 3 for found in behind), "each reader has three answers"
            ):
                for path in ("/health", f"{API}/users/alice"):
                    others.append(Caller(service.port, "GET", path))
                    others[-1]()
            over.set()
            for thread in threads:
                thread.join()
        refused = [caller for found in behind for caller in found]
        assert {caller.status for caller in refused} == {503}, service.log[-3000:]
        assert {other.status for other in others} == {200}, service.log[-3000:]
        free = Caller(service.port, "GET", f"{API}/topics/{setting.topics[0]}")
        wait_until(lambda: free() == 200, "the table is read again")
    health = sorted(other.seconds for other in others if other.path == "/health")
    record_property(
        "summary",
        f"{READERS} readers of a locked table: {len(refused)} times 503, the first within"
        f" {max(found[0].seconds for found in behind):.2f} s, later ones within"
        f" {max(caller.seconds for found in behind for caller in found[1:]):.2f} s;"
        f" /health p50 {health[len(health) // 2] * 1000:.0f} ms, worst {health[-1]:.2f} s",
    )
