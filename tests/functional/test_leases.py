"""A lease: one holder at a time, until it ends or is given up."""

import pytest

from forumsvc.db.engine import Database
from forumsvc.services import leases

pytestmark = pytest.mark.both_databases


def acquire(database: Database, holder: str, seconds: float = 30) -> bool:
    with database.session.begin() as db:
        return leases.acquire(db, "task", holder, seconds)


def test_only_its_holder_can_renew_a_lease(database: Database) -> None:
    assert not leases.is_held(database.executor, "task")
    assert acquire(database, "one")
    assert not acquire(database, "two")
    assert acquire(database, "one")
    assert leases.is_held(database.executor, "task")


def test_another_process_takes_a_lease_that_has_ended(database: Database) -> None:
    assert acquire(database, "one", -1)
    assert not leases.is_held(database.executor, "task")
    left = leases.seconds_left(database.executor)
    assert left is not None
    assert left < 0
    assert acquire(database, "two")
    assert not acquire(database, "one")


def test_a_released_lease_is_free_at_once_but_only_its_holder_releases_it(
    database: Database,
) -> None:
    assert acquire(database, "one")
    for holder, is_held in (("two", True), ("one", False)):
        with database.session.begin() as db:
            leases.release(db, "task", holder)
        assert leases.is_held(database.executor, "task") is is_held
    assert leases.seconds_left(database.executor) is None
