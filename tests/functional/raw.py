"""Raw requests, and a dump of the database."""

from typing import Any

from sqlalchemy import select
from webtest import TestResponse

from forumsvc.db.engine import Database
from forumsvc.models import Base
from tests.functional.forum import Forum


def raw(
    forum: Forum, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b""
) -> TestResponse:
    """Send a request to a path of the service, and accept any status."""
    return forum.app.request(
        path, method=method, headers=headers or {}, body=body, expect_errors=True
    )


def dump(database: Database) -> dict[str, list[Any]]:
    """Return all rows of all tables."""
    with database.reads.connect() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table)).all()))
            for table in Base.metadata.sorted_tables
        }
