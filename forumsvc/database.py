"""The forum's database: what `db` offers, with the cache told of every write."""

from .cache import invalidation
from .db.engine import Database
from .db.timeouts import Timeouts


def open_database(url: str, *, pool_size: int = 10, timeouts: Timeouts | None = None) -> Database:
    """Return the database of a URL (see `Database`); a change in it ends what is cached of it."""
    database = Database(url, pool_size=pool_size, timeouts=timeouts)
    invalidation.watch(database)
    return database
