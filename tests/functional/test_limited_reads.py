"""Reads that may take long: few at a time, and with a time limit."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from sqlalchemy import text

from forumsvc.db.engine import Database
from forumsvc.db.limited_reads import LimitedReads, ReadTimeout, TooManyReads

pytestmark = pytest.mark.both_databases

ENDLESS = {
    True: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    False: "SELECT pg_sleep(60)",
}


@pytest.fixture
def reads(database: Database) -> Iterator[LimitedReads]:
    """Two at a time, a fifth of a second each."""
    made = LimitedReads(database, seconds=0.2, at_once=2)
    yield made
    made.dispose()


def test_a_statement_that_takes_too_long_is_ended(database: Database, reads: LimitedReads) -> None:
    for _ in range(3):
        with pytest.raises(ReadTimeout), reads.connect() as db:
            db.execute(text(ENDLESS[database.is_sqlite]))
    with reads.connect() as db:
        assert db.scalar(text("SELECT 1")) == 1


def test_the_limit_is_for_all_statements_of_a_connection_together(reads: LimitedReads) -> None:
    def repeat() -> None:
        with reads.connect() as db:
            while True:
                db.scalar(text("SELECT 1"))

    with pytest.raises(ReadTimeout):
        repeat()


def test_more_than_allowed_at_once_are_refused_and_not_kept_waiting(reads: LimitedReads) -> None:
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(reads.connect())
        with pytest.raises(TooManyReads), reads.connect():
            pass
    with reads.connect() as db:
        assert db.scalar(text("SELECT 1")) == 1


def test_nothing_can_be_written(database: Database, reads: LimitedReads) -> None:
    with pytest.raises(Exception, match=r"read-?only"), reads.connect() as db:
        db.execute(text("DELETE FROM topics"))


def test_the_sessions_do_not_compile_plans(database: Database, reads: LimitedReads) -> None:
    if not database.is_sqlite:
        with reads.connect() as db:
            assert db.scalar(text("SHOW jit")) == "off"
            assert db.scalar(text("SHOW statement_timeout")) == "200ms"
