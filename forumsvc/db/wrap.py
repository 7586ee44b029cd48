"""Chooses the implementation of DriverConnection for a database."""

from typing import Any

from sqlalchemy import Dialect

from .connection_options import Driver
from .driver_connection import CursorConnection, DriverConnection


def wrap(dialect: Dialect, connection: Any, driver: Driver) -> DriverConnection:
    """Return a DriverConnection for a connection of the dialect's driver.

    driver: for PostgreSQL; SQLite has cursors only.
    """
    if dialect.name != "postgresql":
        return CursorConnection(connection.cursor())
    if driver == "cursor":
        return CursorConnection(connection.cursor(binary=True))
    # psycopg is not installed where there is only SQLite.
    from .pipeline_connection import PipelineConnection

    return PipelineConnection(connection)
