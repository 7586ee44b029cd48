"""Common parts of the demo's tables.

Ids are the demo's numbers + 1, added to the largest id that the database has used.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..db.base import Base

Row = tuple[Any, ...]


@dataclass(frozen=True)
class TableRows:
    """Rows for a table: `columns` names the values of a row; other columns are left out.

    total: the number of rows, or None if it is not known yet.
    """

    model: type[Base]
    columns: tuple[str, ...]
    rows: Iterator[Row]
    total: int | None = None


@dataclass(frozen=True)
class ExistingRows:
    """What the database contains already, and values that are the same for all rows.

    last_ids: table name → the largest id, if there is one; sections, nodes: the ids of those with
    names of the demo's; password_hash: of every user, or None if nobody may log in by password;
    markup_version: of the renderer.
    """

    password_hash: str | None
    markup_version: int
    last_ids: Mapping[str, int] = field(default_factory=dict)
    sections: Mapping[str, int] = field(default_factory=dict)
    nodes: Mapping[str, int] = field(default_factory=dict)

    def max_id(self, model: type[Base]) -> int:
        """Return the largest id that the model's table has given out."""
        return self.last_ids.get(model.__tablename__, 0)
