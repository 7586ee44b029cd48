"""One event that cannot be handled is put aside, and the others go on."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from forumsvc import clock
from forumsvc.background.event_consumer import EventConsumer, FailedEvents
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.search_indexer import SearchIndexer
from forumsvc.db.engine import Database
from forumsvc.models import JobKind, JobState
from forumsvc.queries.jobs import newest
from forumsvc.search.tokens import tokens
from forumsvc.services import jobs
from forumsvc.services.search import indexing
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.forum import content

pytestmark = pytest.mark.both_databases


class Handled(list[int]):
    """The replies whose events were handled; that of `bad` fails."""

    bad: int | None = None
    error: Exception = ValueError("bad event")

    def __call__(self, db: Session, batch: Sequence[Any]) -> None:
        if self.bad in [event.reply_id for event in batch]:
            raise self.error
        self.extend(event.reply_id for event in batch if event.reply_id)


def work(consumer: EventConsumer, database: Database) -> None:
    wait_for_horizon(database)
    while consumer.run():
        pass


def failed(database: Database) -> list[tuple[str, str]]:
    with database.reads.connect() as db:
        found = newest(db, JobKind.EVENT, JobState.FAILED, 100)
    return [(row.key, row.error) for row in found]


def retry(database: Database, consumer: EventConsumer) -> None:
    with database.session.begin() as db:
        jobs.retry(db, clock.now(), ids=None)
    JobRunner(database, [FailedEvents(database, [consumer])], 1).run_due(JobKind.EVENT)


def test_the_event_that_fails_is_put_aside_and_the_others_are_handled_in_order(forum, alice, topic):
    replies = [forum.reply(alice, topic) for _ in range(7)]
    handled = Handled()
    handled.bad = replies[3]
    consumer = EventConsumer(forum.database, "test", handled, 100)
    work(consumer, forum.database)
    assert handled == [one for one in replies if one != replies[3]]
    [(name, error)] = failed(forum.database)
    assert (name, "bad event" in error) == ("test", True)
    retry(forum.database, consumer)
    assert len(failed(forum.database)) == 1
    handled.bad = None
    retry(forum.database, consumer)
    assert (handled[-1], failed(forum.database)) == (replies[3], [])


def test_nothing_is_put_aside_while_the_database_is_to_blame(forum, alice, topic):
    handled = Handled()
    handled.bad = forum.reply(alice, topic)
    handled.error = OperationalError("SELECT 1", {}, Exception("server closed the connection"))
    consumer = EventConsumer(forum.database, "test", handled, 1)
    wait_for_horizon(forum.database)
    assert consumer.run()
    for _ in range(3):
        with pytest.raises(OperationalError):
            consumer.run()
    assert (handled, failed(forum.database)) == ([], [])


def test_a_post_whose_tokens_cannot_be_made_does_not_stop_the_index(
    forum, alice, node, monkeypatch
):
    forum.topic(alice, node, title="Poison")
    innocent = forum.topic(alice, node, title="Innocent")

    def make(text: str) -> list[str]:
        if text == "Poison":
            raise ValueError("no tokens")
        return tokens(text)

    monkeypatch.setattr(indexing, "tokens", make)
    consumer = SearchIndexer(forum.database)
    work(consumer, forum.database)
    answer = forum.nobody.get("/search/topics", q="innocent")
    assert [one["id"] for one in content(answer)] == [innocent]
    assert len(failed(forum.database)) == 1
    monkeypatch.undo()
    retry(forum.database, consumer)
    assert len(content(forum.nobody.get("/search/topics", q="poison"))) == 1
