"""Opens the forum's database: `db.Database` with the invalidation of cached pages."""

from ..db.connection_options import ConnectionOptions
from ..db.engine import Database
from . import invalidation


def open_database(url: str, options: ConnectionOptions | None = None) -> Database:
    """Return the database of a URL (see `Database`), whose writes invalidate cached pages."""
    database = Database(url, options)
    invalidation.install(database)
    return database
