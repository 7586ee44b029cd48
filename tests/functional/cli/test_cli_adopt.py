"""`db adopt` makes a copy the database that sends."""

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.services import deployment
from tests.functional.cli.conftest import Run


def test_a_copy_sends_after_it_was_adopted_and_only_then(database: Database, run: Run) -> None:
    with database.session.begin() as db:
        deployment.mark_as_copy(db, clock.now())
        assert not deployment.may_send(db, "")
    unasked = run("db", "adopt")
    assert unasked.code == 2
    assert "--yes" in unasked.err
    assert run("db", "adopt", "--yes", "--json").json == {"adopted": True}
    with database.session.begin() as db:
        assert deployment.may_send(db, "")
    assert run("db", "adopt", "--yes", "--json").json == {"adopted": False}
