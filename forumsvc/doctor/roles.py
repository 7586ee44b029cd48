"""Whether the service's role of PostgreSQL could change the log of moderation."""

from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import Connection, text

from ..cache.database import open_database
from ..db.connection_options import ConnectionOptions
from .finding import Finding, warning
from .installation import Installation

_RIGHTS = """
    SELECT current_user AS role, pg_has_role(relowner, 'MEMBER') AS is_owner,
        has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER') AS may_change
    FROM pg_class WHERE oid = 'audit_log'::regclass
"""


def check(installation: Installation) -> Iterator[Finding]:
    """Yield a warning where the role of `sqlalchemy.url` may do more than add to the log."""
    if installation.database.is_sqlite:
        return
    settings = installation.settings
    options = replace(ConnectionOptions.from_settings(settings), pool_size=1)
    database = open_database(settings["sqlalchemy.url"], options)
    try:
        with database.reads.connect() as db:
            role, is_owner, may_change = rights(db)
    finally:
        database.dispose()
    if is_owner or may_change:
        action = "disable the triggers of" if is_owner else "delete records of"
        yield warning(
            f"The service connects as {role}, which may {action} the log of moderation: let it "
            'connect as a role that does not own the tables (install.md, "Two roles").'
        )


def rights(db: Connection) -> tuple[str, bool, bool]:
    """Return the role of a connection, whether it owns the log, and whether it may change rows."""
    role, is_owner, may_change = db.execute(text(_RIGHTS)).one()
    return role, is_owner, may_change
