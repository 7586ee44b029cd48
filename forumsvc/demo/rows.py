"""What the tables of the demo have in common.

Ids are the plan's numbers + 1, behind those that the database has given out already.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..db.base import Base

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """Some rows for a table: `columns` names what is in a row, every other column is left out.

    total: how many rows there will be, or None where nobody knows yet.
    """

    model: type[Base]
    columns: tuple[str, ...]
    rows: Iterator[Row]
    total: int | None = None


@dataclass(frozen=True)
class Given:
    """What the database holds already, and what is not the plan's to know.

    last_ids: table name → the largest id given out, where there is one; sections, nodes: the ids
    of those that have names of the demo's; password_hash: of every user, or None for nobody can
    log in by password; markup_version: of the renderer.
    """

    password_hash: str | None
    markup_version: int
    last_ids: Mapping[str, int] = field(default_factory=dict)
    sections: Mapping[str, int] = field(default_factory=dict)
    nodes: Mapping[str, int] = field(default_factory=dict)

    def after(self, model: type[Base]) -> int:
        """Return the largest id that the model's table has given out."""
        return self.last_ids.get(model.__tablename__, 0)
