"""Events are handled in order and once: the position moves with what is made of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import Event, EventPosition
from forumsvc.queries import events
from forumsvc.services.event_consumers import consume
from tests.databases import on_postgresql
from tests.functional.event_horizon import wait_for_horizon

pytestmark = pytest.mark.both_databases


class Handled(list[str]):
    """The types of the events that were handled; `fail` makes the next batch fail."""

    fail = False

    def __call__(self, db: Session, batch: Sequence[Any]) -> None:
        if self.fail:
            raise RuntimeError("the handler fails")
        self.extend(event.type for event in batch)


def run(database: Database, handled: Handled, limit: int = 500) -> int:
    wait_for_horizon(database)
    with database.session.begin() as db:
        return consume(db, "test", handled, clock.now(), limit)


def has_unread(database: Database) -> bool:
    wait_for_horizon(database)
    return events.has_unread(database.executor, database.executor.dialect.name, "test")


def test_a_consumer_handles_each_event_once_and_in_order(forum, database, alice, topic):
    forum.reply(alice, topic)
    handled = Handled()
    assert has_unread(database)
    assert [run(database, handled, 1), run(database, handled, 1), run(database, handled, 1)] == [
        *(1, 1, 0)
    ]
    assert handled == ["topic.created", "reply.created"]
    assert not has_unread(database)


def test_a_batch_whose_handler_fails_is_handled_again(database, alice, topic):
    handled = Handled()
    handled.fail = True
    with pytest.raises(RuntimeError):
        run(database, handled)
    handled.fail = False
    assert run(database, handled) == 1


def test_two_consumers_have_positions_of_their_own(database, alice, topic):
    run(database, Handled())
    with database.session.begin() as db:
        assert consume(db, "another", Handled(), clock.now()) == 1


@on_postgresql  # SQLite numbers no transactions
def test_after_a_restore_from_a_dump_old_events_count_as_handled_and_new_ones_are_read(
    forum, database, alice, topic
):
    run(database, Handled())
    with database.session.begin() as db:
        db.execute(update(EventPosition).values(xid=2**60))
    handled = Handled()
    assert has_unread(database)
    assert run(database, handled) == 0
    forum.reply(alice, topic)
    assert run(database, handled) == 1
    assert handled == ["reply.created"]
    with database.session.begin() as db:
        assert db.scalar(select(Event.xid).order_by(Event.id).limit(1)) == 0


@on_postgresql  # SQLite numbers no transactions
def test_after_a_restore_from_a_dump_a_consumer_that_was_behind_loses_no_event(
    forum, database, alice, topic
):
    behind = Handled()
    run(database, Handled())
    wait_for_horizon(database)
    with database.session.begin() as db:
        consume(db, "behind", behind, clock.now())
    forum.reply(alice, topic)
    run(database, Handled())
    # As in a dump of another server, whose transactions have higher numbers.
    with database.session.begin() as db:
        db.execute(update(Event).values(xid=Event.xid + 2**60))
        db.execute(update(EventPosition).values(xid=EventPosition.xid + 2**60))
    for consumer, handle, unread in (("test", Handled(), 0), ("behind", behind, 1)):
        with database.session.begin() as db:
            assert consume(db, consumer, handle, clock.now()) == unread
    assert behind == ["topic.created", "reply.created"]
