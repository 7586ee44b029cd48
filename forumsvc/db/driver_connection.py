"""A driver's connection, as the executor speaks on it."""

from typing import Any, Protocol


class DriverConnection(Protocol):
    """Runs statements in the order in which they are given to it."""

    def execute(self, text: str, parameters: Any) -> list[tuple[Any, ...]]:
        """Run a statement of this text, filled with these values, and return its rows."""

    def queue(self, text: str, parameters: Any) -> None:
        """Run a statement of which nobody awaits anything, at the latest with the next one."""

    def submit(self, text: str, parameters: Any) -> "PendingRows":
        """Run a statement whose rows are awaited later, at the latest with the next one."""

    def flush(self) -> None:
        """Run what waits to be run."""

    def commit(self) -> None:
        """Run what waits; the transaction may be committed with it."""

    def discard(self) -> None:
        """Never run what waits."""


class PendingRows:
    """The rows of a statement, which may be on their way."""

    __slots__ = ("_line", "_rows")

    def __init__(self, line: DriverConnection, rows: list[tuple[Any, ...]] | None = None) -> None:
        """Wait for the rows, or have them."""
        self._line: DriverConnection | None = line
        self._rows = rows

    def resolve(self, rows: list[tuple[Any, ...]]) -> None:
        """Take the rows."""
        self._rows = rows

    def cancel(self) -> None:
        """Wait no more: what others have waiting on the line by now is none of its business."""
        self._line = None

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows, once the line has caught up. Raises the driver's errors."""
        if self._rows is None and self._line is not None:
            self._line.flush()
        if self._rows is None:
            raise LookupError("The statement was rolled back.")
        return self._rows


class CursorConnection:
    """Any driver's connection, by a cursor of it; nothing ever waits."""

    def __init__(self, driver: Any) -> None:
        """Take the connection."""
        self._cursor = driver.cursor()

    def execute(self, text: str, parameters: Any) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows. Raises the driver's errors."""
        rows: list[tuple[Any, ...]] = self._cursor.execute(text, parameters).fetchall()
        return rows

    def queue(self, text: str, parameters: Any) -> None:
        """Run a statement. Raises the driver's errors."""
        self._cursor.execute(text, parameters)

    def submit(self, text: str, parameters: Any) -> PendingRows:
        """Run a statement. Raises the driver's errors."""
        return PendingRows(self, self.execute(text, parameters))

    def flush(self) -> None:
        """Do nothing."""

    def commit(self) -> None:
        """Do nothing: the driver commits."""

    def discard(self) -> None:
        """Do nothing."""
