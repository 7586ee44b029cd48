"""A driver's connection, as the gateway speaks on it."""

from typing import Any, Protocol

from sqlalchemy import Dialect


class Line(Protocol):
    """Runs statements in the order in which they are given to it."""

    def fetch(self, text: str, filling: Any) -> list[tuple[Any, ...]]:
        """Run a statement of this text, filled with these values, and return its rows."""

    def later(self, text: str, filling: Any) -> None:
        """Run a statement of which nobody awaits anything, at the latest with the next one."""

    def catch_up(self) -> None:
        """Run what waits to be run."""

    def commit(self) -> None:
        """Run what waits; the transaction may be committed with it."""

    def forget(self) -> None:
        """Never run what waits."""


class CursorLine:
    """Any driver's connection, by a cursor of it; nothing ever waits."""

    def __init__(self, driver: Any) -> None:
        """Take the connection."""
        self._cursor = driver.cursor()

    def fetch(self, text: str, filling: Any) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows. Raises the driver's errors."""
        rows: list[tuple[Any, ...]] = self._cursor.execute(text, filling).fetchall()
        return rows

    def later(self, text: str, filling: Any) -> None:
        """Run a statement. Raises the driver's errors."""
        self._cursor.execute(text, filling)

    def catch_up(self) -> None:
        """Do nothing."""

    def commit(self) -> None:
        """Do nothing: the driver commits."""

    def forget(self) -> None:
        """Do nothing."""


def line(dialect: Dialect, driver: Any) -> Line:
    """Return the quickest way to speak on a driver's connection."""
    if dialect.name == "postgresql":
        from .libpq import Libpq  # its library is not there where there is SQLite only

        return Libpq(driver)
    return CursorLine(driver)
