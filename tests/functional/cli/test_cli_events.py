"""`forumsvc events status` and `log list`: rows that no command makes."""

import pytest

from forumsvc import clock
from forumsvc.models import (
    EventType,
)
from forumsvc.services import events
from forumsvc.services.event_consumers import consume
from forumsvc.services.moderation import settings_log
from tests.functional.event_horizon import wait_for_horizon

pytestmark = pytest.mark.both_databases


def test_the_status_shows_what_each_consumer_has_yet_to_read(run, database):
    with database.session.begin() as db:
        for _ in range(3):
            events.record(db, EventType.USER_CREATED, clock.now(), actor_id=None)
    wait_for_horizon(database)
    with database.session.begin() as db:
        consume(db, "test", lambda db, batch: None, clock.now(), limit=2)
    [consumer] = run("events", "status", "--json").json["consumers"]
    assert (consumer["consumer"], consumer["unread"]) == ("test", 1)
    assert consumer["oldest_seconds"] >= 0


def test_the_log_shows_the_first_settings_of_many(run, database):
    settings = {f"name.{number}": "x" for number in range(30)}
    with database.session.begin() as db:
        settings_log.record_changes(db, clock.now(), "host", settings)
    [line] = [one for one in run("log", "list").out.splitlines() if "settings.changed" in one]
    assert "name.0: x" in line
    assert "25 others (--json)" in line
    assert len(line) < 400
    [record] = run("log", "list", "--json").json["log"]
    assert record["details"]["settings"] == settings
