"""What the executor needs of a driver's connection, and the plain way to it: a cursor."""

from typing import Any, Protocol


class DriverConnection(Protocol):
    """Executes statements in the order of the calls. All methods raise the driver's errors."""

    def execute(self, text: str, parameters: Any) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows."""

    def queue(self, text: str, parameters: Any) -> None:
        """Execute a statement without rows, at the latest together with the next one."""

    def submit(self, text: str, parameters: Any) -> "PendingRows":
        """Execute a statement, at the latest with the next one; its rows may come later."""

    def flush(self) -> None:
        """Execute the queued statements."""

    def commit(self) -> None:
        """Execute the queued statements; an implementation may commit with them."""

    def discard(self) -> None:
        """Drop the queued statements."""


class PendingRows:
    """The rows of a submitted statement."""

    __slots__ = ("_connection", "_rows")

    def __init__(
        self, connection: DriverConnection, rows: list[tuple[Any, ...]] | None = None
    ) -> None:
        """Create pending rows. connection: flushed when the rows are needed and not there."""
        self._connection: DriverConnection | None = connection
        self._rows = rows

    def resolve(self, rows: list[tuple[Any, ...]]) -> None:
        """Set the rows."""
        self._rows = rows

    def cancel(self) -> None:
        """Give up the rows: the statement failed or was dropped."""
        self._connection = None

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows, after a flush if necessary.

        Raises the driver's errors, and LookupError after `cancel`.
        """
        if self._rows is None and self._connection is not None:
            self._connection.flush()
        if self._rows is None:
            raise LookupError("The statement was rolled back.")
        return self._rows


class CursorConnection:
    """A DB-API connection, by a cursor of it; it executes every statement at once."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def execute(self, text: str, parameters: Any) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows, none for a statement without rows."""
        self._cursor.execute(text, parameters)
        return self._cursor.fetchall() if self._cursor.description else []

    def queue(self, text: str, parameters: Any) -> None:
        """Execute a statement without rows."""
        self._cursor.execute(text, parameters)

    def submit(self, text: str, parameters: Any) -> PendingRows:
        """Execute a statement and return its rows."""
        return PendingRows(self, self.execute(text, parameters))

    def flush(self) -> None:
        """Do nothing: the queue is always empty."""

    def commit(self) -> None:
        """Do nothing: SQLAlchemy commits by the driver."""

    def discard(self) -> None:
        """Do nothing: the queue is always empty."""
