"""A driver's connection, as the gateway speaks on it."""

from typing import Any, Protocol


class Line(Protocol):
    """Runs statements in the order in which they are given to it."""

    def fetch(self, text: str, filling: Any) -> list[tuple[Any, ...]]:
        """Run a statement of this text, filled with these values, and return its rows."""

    def later(self, text: str, filling: Any) -> None:
        """Run a statement of which nobody awaits anything, at the latest with the next one."""

    def ask(self, text: str, filling: Any) -> "Answer":
        """Run a statement whose rows are awaited later, at the latest with the next one."""

    def catch_up(self) -> None:
        """Run what waits to be run."""

    def commit(self) -> None:
        """Run what waits; the transaction may be committed with it."""

    def forget(self) -> None:
        """Never run what waits."""


class Answer:
    """The rows of a statement, which may be on their way."""

    __slots__ = ("_line", "_rows")

    def __init__(self, line: Line, rows: list[tuple[Any, ...]] | None = None) -> None:
        """Wait for the rows, or have them."""
        self._line: Line | None = line
        self._rows = rows

    def come(self, rows: list[tuple[Any, ...]]) -> None:
        """Take the rows."""
        self._rows = rows

    def never_come(self) -> None:
        """Wait no more: what others have waiting on the line by now is none of its business."""
        self._line = None

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows, once the line has caught up. Raises the driver's errors."""
        if self._rows is None and self._line is not None:
            self._line.catch_up()
        if self._rows is None:
            raise LookupError("The statement was rolled back.")
        return self._rows


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

    def ask(self, text: str, filling: Any) -> Answer:
        """Run a statement. Raises the driver's errors."""
        return Answer(self, self.fetch(text, filling))

    def catch_up(self) -> None:
        """Do nothing."""

    def commit(self) -> None:
        """Do nothing: the driver commits."""

    def forget(self) -> None:
        """Do nothing."""
