"""What every query shares: how it is run, and how a page of a list is cut out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, CompoundSelect, Connection, Integer, Row, Select, bindparam
from sqlalchemy.orm import Session

from ..ids import MAX_ID
from ..models.gateway import GATEWAY, Gateway

Connected = Connection | Session
"""A command's or a transaction's way to the database: it runs any statement."""

Reader = Gateway | Connected
"""A safe request reads by the gateway, an unsafe one in its transaction; all run a SELECT."""


_DEEP = 1000


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is wanted: `limit` rows after the first `offset`."""

    offset: int = 0
    limit: int = 20

    @property
    def is_deep(self) -> bool:
        """Whether so many rows are passed over that preparing for it pays."""
        return self.offset >= _DEEP

    @property
    def values(self) -> dict[str, int]:
        """The values of the parameters that `paged` leaves open."""
        return {"offset": min(self.offset, MAX_ID), "limit": self.limit}


def _literal(name: str) -> BindParameter[int]:
    # PostgreSQL plans a bound LIMIT anew each time; written into the text the plan is kept.
    return bindparam(name, type_=Integer, literal_execute=True)


def paged(statement: Select[Any]) -> Select[Any]:
    """Return the SELECT cut to a page whose `offset` and `limit` are given when it is run."""
    return statement.limit(_literal("limit")).offset(_literal("offset"))


def rows(
    db: Reader, statement: Select[Any] | CompoundSelect[Any], values: dict[str, Any]
) -> Sequence[Row[Any]]:
    """Run a SELECT and return its rows."""
    if isinstance(db, Gateway):
        return db.rows(statement, values)
    if isinstance(db, Session) and GATEWAY in db.info:
        gateway: Gateway = db.info[GATEWAY]
        return gateway.rows_in(db, statement, values)
    return db.execute(statement, values).all()


def row(db: Reader, statement: Select[Any], values: dict[str, Any]) -> Row[Any] | None:
    """Run a SELECT of at most one row and return it."""
    found = rows(db, statement, values)
    return found[0] if found else None
