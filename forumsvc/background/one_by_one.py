"""Work on rows of which one that cannot be done holds up no other."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy.orm import Session

from ..db.engine import Database
from ..db.execution import SqlConnection
from ..db.failures import is_temporary
from ..errors import Conflict

log = logging.getLogger(__name__)

Find = Callable[[SqlConnection, int], Sequence[Any]]


class OneByOne:
    """Finds rows in the order of their ids, and does each in a transaction of its own.

    One that fails is logged, and tried again when all behind it had their turn.
    """

    def __init__(self, database: Database, words: str, size: int) -> None:
        """words: for the log, what is not done, with %d for the id; size: of rows at a turn."""
        self._database = database
        self._words = words
        self._size = size
        self._after = 0

    def run(self, find: Find, do: Callable[[Session, Any], object]) -> bool:
        """Do the next rows; return whether there are more.

        find: returns rows with an id that is higher, in their order, at most `size`, without a
        lock; do: raises Conflict where a row is not to be done. Raises temporary errors of the
        database.
        """
        with self._database.reads.connect() as connection:
            found = find(connection, self._after)
        for row in found:
            try:
                with self._database.session.begin() as db:
                    do(db, row)
            except Conflict as conflict:
                log.warning(f"{self._words}: %s", row.id, conflict)
            except Exception as error:
                if is_temporary(error):
                    raise
                log.exception(self._words, row.id)
            self._after = row.id
        if has_more := len(found) == self._size:
            return has_more
        self._after = 0
        return False
