"""The task that keeps the search index up to date."""

from .. import clock
from ..db.engine import Database
from ..queries import search_documents
from ..queries.rows import EventRow
from ..services import event_consumers, search_index
from ..services.jobs import Claimed
from .event_consumer import EventConsumer


class SearchIndexer(EventConsumer):
    """Indexes posts that were written, edited, moved, hidden or shown again."""

    def __init__(self, database: Database, interval: float) -> None:
        """interval: seconds between two looks."""
        batch = search_index.BATCH_SIZE
        name, handle = search_index.CONSUMER, search_index.note_topics
        super().__init__(database, name, handle, interval, batch)

    def run(self) -> bool:
        """Index a batch of each kind; return whether there may be more."""
        has_more = super().run()
        return self._index_moved() or has_more

    def _index_moved(self) -> bool:
        if not search_documents.has_moved(self._database.executor):
            return False
        return search_index.index_moved(self._database)

    def _consume(self, limit: int) -> int:
        """Make the tokens in transactions of their own, and move the position after them."""
        with self._database.session.begin() as db:
            position, batch = event_consumers.next_events(db, self.name, clock.now(), limit)
        search_index.index_events(self._database, batch)
        with self._database.session.begin() as db:
            event_consumers.finish(db, self.name, self._handle, clock.now(), position, batch)
        return len(batch)

    def handle_again(self, job: Claimed, event: EventRow) -> None:
        """As of other consumers, with the tokens made before."""
        search_index.index_events(self._database, [event])
        super().handle_again(job, event)
