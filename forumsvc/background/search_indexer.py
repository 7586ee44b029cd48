"""The task that keeps the search index up to date."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..queries import search_documents
from ..queries.rows import EventRow
from ..services import search_index
from .event_consumer import EventConsumer


class SearchIndexer(EventConsumer):
    """Indexes posts that were written, edited or moved."""

    def __init__(self, database: Database, interval: float) -> None:
        """interval: seconds between two looks."""
        is_sqlite = database.is_sqlite
        batch = search_index.SQLITE_BATCH_SIZE if is_sqlite else search_index.BATCH_SIZE
        super().__init__(database, search_index.CONSUMER, _index, interval, batch)

    def run(self) -> bool:
        """Index a batch of each kind; return whether there may be more."""
        has_more = super().run()
        return self._index_moved() or has_more

    def _index_moved(self) -> bool:
        if not search_documents.has_moved(self._database.executor):
            return False
        with self._database.session.begin() as db:
            search_index.lock(db, clock.now())
            return search_index.index_moved(db)


def _index(db: Session, events: Sequence[EventRow]) -> None:
    search_index.index_events(db, events)
