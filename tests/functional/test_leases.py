"""A lease: one holder at a time, until it ends or is given up."""

import pytest

from forumsvc.db.engine import Database
from forumsvc.services import leases

pytestmark = pytest.mark.both_databases


def acquire(database: Database, holder: str, seconds: float = 30) -> bool:
    with database.session.begin() as db:
        return leases.acquire(db, "task", holder, seconds)


def test_only_its_holder_can_renew_a_lease(database: Database) -> None:
    assert leases.holder(database.executor, "task") is None
    assert acquire(database, "one")
    assert not acquire(database, "two")
    assert acquire(database, "one")
    assert leases.holder(database.executor, "task") == "one"


def test_another_process_takes_a_lease_that_has_ended(database: Database) -> None:
    assert acquire(database, "one", -1)
    assert leases.holder(database.executor, "task") is None
    left = leases.seconds_left(database.executor)
    assert left is not None
    assert left < 0
    assert acquire(database, "two")
    assert not acquire(database, "one")


def test_a_released_lease_is_free_at_once_but_only_its_holder_releases_it(
    database: Database,
) -> None:
    assert acquire(database, "one")
    for holder, left in (("two", "one"), ("one", None)):
        with database.session.begin() as db:
            leases.release(db, "task", holder)
        assert leases.holder(database.executor, "task") == left
    assert leases.seconds_left(database.executor) is None


def test_a_lease_of_a_clock_that_was_hours_ahead_is_nobodys(database: Database) -> None:
    assert acquire(database, "killed", 2 * 60 * 60)
    assert leases.holders(database.executor) == []
    assert leases.seconds_left(database.executor) is None
    assert acquire(database, "next")
    assert leases.holder(database.executor, "task") == "next"
    assert not acquire(database, "killed")
