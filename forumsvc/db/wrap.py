"""The quickest way to run statements on a driver's connection."""

from typing import Any

from sqlalchemy import Dialect

from .driver_connection import CursorConnection, DriverConnection


def wrap(dialect: Dialect, driver: Any) -> DriverConnection:
    """Return the quickest way to speak on a driver's connection."""
    if dialect.name == "postgresql":
        # Its library is not there where there is SQLite only.
        from .pipeline_connection import PipelineConnection

        return PipelineConnection(driver)
    return CursorConnection(driver)
