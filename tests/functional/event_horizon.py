"""Waiting until all events can be read: other tests use the same PostgreSQL server."""

from sqlalchemy import select

from forumsvc.db.engine import Database
from forumsvc.models import Event
from forumsvc.queries import events
from tests.system.process import wait_until


def wait_for_horizon(database: Database) -> None:
    """Wait until no transaction of the server is older than the newest event."""
    if database.is_sqlite:
        return
    with database.reads.connect() as db:
        newest = db.scalar(select(Event.xid).order_by(Event.xid.desc()).limit(1)) or 0
    wait_until(lambda: events.horizon(database.executor) > newest, "older transactions end")
