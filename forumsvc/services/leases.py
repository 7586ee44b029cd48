"""Leases: at most one process works on a task, and another takes over when that one dies.

A lease only avoids doubled work. What must not happen twice is protected by locks and unique keys
in the transaction of the work itself, because a process can lose its lease and not know it yet.
"""

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, String, bindparam, func, select
from sqlalchemy.orm import Session

from ..db.execution import ReadConnection, row, rows
from ..db.statements import database_time, delete_of, execute, insert_of
from ..models import Lease

SECONDS = 30.0
"""How long a lease holds without being renewed."""

# One that ends much later was made by a clock that has been set back since: nobody holds it.
_LAST_END: Any = database_time() + round(2 * SECONDS * 1000)
_IS_HELD: Any = Lease.until.between(database_time(), _LAST_END)


def acquire(db: Session, name: str, holder: str, seconds: float = SECONDS) -> bool:
    """Take or renew a lease; return whether `holder` has it now. seconds: at most SECONDS."""
    values = {"name": name, "holder": holder, "milliseconds": round(seconds * 1000)}
    return bool(execute(db, _acquire(db.get_bind().dialect.name), values))


@cache
def _acquire(dialect: str) -> Any:
    holder = bindparam("holder", type_=String)
    until = database_time() + bindparam("milliseconds", type_=BigInteger)
    statement = insert_of(Lease, dialect).values(
        name=bindparam("name", type_=String), holder=holder, until=until
    )
    return statement.on_conflict_do_update(
        index_elements=[Lease.name],
        set_={"holder": statement.excluded.holder, "until": statement.excluded.until},
        where=(Lease.holder == statement.excluded.holder) | ~_IS_HELD,
    ).returning(Lease.name)


def release(db: Session, name: str, holder: str) -> None:
    """Give up a lease, if `holder` has it."""
    db.execute(delete_of(Lease).where(Lease.name == name, Lease.holder == holder))


def holder(db: ReadConnection, name: str) -> str | None:
    """Return who holds the lease now, or None."""
    found = row(db, _SELECT_HOLDER, {"name": name})
    return None if found is None else str(found.holder)


_SELECT_HOLDER: Any = select(Lease.holder).where(
    Lease.name == bindparam("name", type_=String), _IS_HELD
)


def holders(db: ReadConnection) -> list[str]:
    """Return who holds any lease now: each worker that is alive, or was killed just now."""
    return [str(found.holder) for found in rows(db, _SELECT_HOLDERS, {})]


_SELECT_HOLDERS: Any = select(Lease.holder).where(_IS_HELD).distinct().order_by(Lease.holder)


def seconds_left(db: ReadConnection) -> float | None:
    """Return for how long the lease that ends last is held; negative: it ended; None: no lease."""
    [found] = rows(db, _SELECT_LAST, {})
    return None if found.left is None else found.left / 1000


_SELECT_LAST: Any = select((func.max(Lease.until) - database_time()).label("left")).where(
    Lease.until <= _LAST_END
)
