"""Opens the forum's database: `db.Database` with the invalidation of cached pages."""

from .cache import invalidation
from .db.engine import Database
from .db.timeouts import Timeouts
from .db.wrap import Driver


def open_database(
    url: str,
    *,
    pool_size: int = 10,
    timeouts: Timeouts | None = None,
    driver: Driver = "pipeline",
) -> Database:
    """Return the database of a URL (see `Database`), whose writes invalidate cached pages."""
    database = Database(url, pool_size=pool_size, timeouts=timeouts, driver=driver)
    invalidation.install(database)
    return database
