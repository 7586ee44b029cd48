"""`forumsvc events …`: listing events, and how far consumers have read them."""

import pytest

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import EventType
from forumsvc.services import events
from forumsvc.services.event_consumers import consume
from tests.functional.cli.conftest import Run
from tests.functional.event_horizon import wait_for_horizon

pytestmark = pytest.mark.both_databases

TYPES = [EventType.USER_CREATED, EventType.TOPIC_CREATED, EventType.USER_UPDATED]


@pytest.fixture
def recorded(database: Database) -> None:
    """Three events."""
    with database.session.begin() as db:
        for number, type_ in enumerate(TYPES):
            events.record(db, type_, clock.now(), actor_id=None, user_id=number)


@pytest.mark.usefixtures("recorded")
def test_events_are_listed_oldest_first_after_an_id_and_by_type(run: Run) -> None:
    listed = run("events", "list", "--json").json["events"]
    assert [one["type"] for one in listed] == TYPES
    later = run("events", "list", "--since", listed[0]["id"], "--limit", 1, "--json").json["events"]
    assert later == [listed[1]]
    topics = run("events", "list", "--type", "topic.created", "--json").json["events"]
    assert topics == [listed[1]]


@pytest.mark.usefixtures("recorded")
def test_the_status_shows_what_each_consumer_has_yet_to_read(run: Run, database: Database) -> None:
    found = run("events", "status", "--json").json
    assert (found["kept"], found["consumers"]) == (3, [])
    wait_for_horizon(database)
    with database.session.begin() as db:
        consume(db, "test", lambda db, batch: None, clock.now(), limit=2)
    [consumer] = run("events", "status", "--json").json["consumers"]
    assert (consumer["consumer"], consumer["unread"]) == ("test", 1)
    assert consumer["oldest_seconds"] >= 0
