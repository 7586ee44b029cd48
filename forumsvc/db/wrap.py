"""Chooses the implementation of DriverConnection for a database."""

from typing import Any

from sqlalchemy import Dialect

from .driver_connection import CursorConnection, DriverConnection


def wrap(dialect: Dialect, connection: Any) -> DriverConnection:
    """Return a DriverConnection for a connection of the dialect's driver."""
    if dialect.name == "postgresql":
        # psycopg is not installed where there is only SQLite.
        from .pipeline_connection import PipelineConnection

        return PipelineConnection(connection)
    return CursorConnection(connection)
