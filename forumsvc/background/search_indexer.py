"""Keeps the search index up to date: by events, and topics with all replies by jobs."""

from datetime import timedelta

from .. import clock
from ..db.engine import Database
from ..models import JobKind
from ..queries.rows import EventRow
from ..services import event_consumers
from ..services.jobs import Claimed
from ..services.search import indexing
from .event_consumer import EventConsumer
from .job_runner import Handler


class SearchIndexer(EventConsumer):
    """Indexes posts that were written, edited, moved, hidden or shown again."""

    def __init__(self, database: Database) -> None:
        batch = indexing.BATCH_SIZE
        name, handle = indexing.CONSUMER, indexing.note_topics
        super().__init__(database, name, handle, batch)

    def _consume(self, limit: int) -> int:
        """Make the tokens in transactions of their own, and move the position after them."""
        with self._database.session.begin() as db:
            position, batch = event_consumers.next_events(db, self.name, clock.now(), limit)
        indexing.index_events(self._database, batch)
        with self._database.session.begin() as db:
            event_consumers.finish(db, self.name, self._handle, clock.now(), position, batch)
        return len(batch)

    def handle_again(self, job: Claimed, event: EventRow) -> None:
        """Handle an event that was put aside, as others do; the tokens are made before."""
        indexing.index_events(self._database, [event])
        super().handle_again(job, event)


class TopicIndexer(Handler):
    """Indexes the replies of topics that were moved, hidden or shown again."""

    kind = JobKind.INDEX_TOPIC
    lock = timedelta(minutes=2)

    def __init__(self, database: Database) -> None:
        self._database = database

    def run(self, job: Claimed) -> None:
        """Index the next replies of a topic."""
        indexing.index_topic(self._database, job)
