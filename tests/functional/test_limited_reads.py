"""Reads that may take long: few at a time, and with a time limit."""

from collections.abc import Iterator

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from forumsvc.db.engine import Database
from forumsvc.db.failures import is_away
from forumsvc.db.limited_reads import LimitedReads, ReadTimeout
from tests.databases import on_postgresql
from tests.functional.test_executor import cut

pytestmark = pytest.mark.both_databases


@pytest.fixture
def reads(database: Database) -> Iterator[LimitedReads]:
    """Two at a time, a fifth of a second each."""
    made = LimitedReads(database, seconds=0.2, at_once=2)
    yield made
    made.dispose()


def test_the_limit_is_for_all_statements_of_a_connection_together(reads):
    def repeat() -> None:
        with reads.connect() as db:
            while True:
                db.scalar(text("SELECT 1"))

    with pytest.raises(ReadTimeout):
        repeat()


def test_nothing_can_be_written(database, reads):
    with pytest.raises(Exception, match=r"read-?only"), reads.connect() as db:
        db.execute(text("DELETE FROM topics"))


def test_the_sessions_do_not_compile_plans(database, reads):
    if not database.is_sqlite:
        with reads.connect() as db:
            assert db.scalar(text("SHOW jit")) == "off"
            assert db.scalar(text("SHOW statement_timeout")) == "200ms"


@on_postgresql
def test_a_connection_that_is_lost_meanwhile_is_an_error_of_the_database(reads):
    def read() -> None:
        with reads.connect() as db:
            cut(db.connection.driver_connection)
            db.scalar(text("SELECT 1"))

    with pytest.raises(DBAPIError) as raised:
        read()
    assert is_away(raised.value)
    with reads.connect() as db:
        cut(db.connection.driver_connection)
    with reads.connect() as db:
        assert db.scalar(text("SELECT 1")) == 1
