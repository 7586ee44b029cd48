"""Checking the database: recounting counters, and finding dangling notifications."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..cache import invalidation
from ..db.execution import SqlConnection
from ..db.statements import delete_of, update_of
from ..models import Notification
from ..queries import recount

STEPS = len(recount.recounts()) + 1
"""The number of steps of a check: one for each table."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one counter column, or for the notifications, in numbers of rows."""

    name: str
    checked: int
    wrong: int


def check(db: SqlConnection, *, progress: Callable[[], None] = lambda: None) -> list[Finding]:
    """Compare every counter with a recount, and count the dangling notifications.

    progress: called after each of the `STEPS` steps.
    """
    findings = [_check_notifications(db)]
    progress()
    for each in recount.recounts():
        counts = db.execute(each.select_counts()).mappings().one()
        table = each.model.__tablename__
        findings += [
            Finding(f"{table}.{name}", counts["rows"], counts[name]) for name in each.expected
        ]
        progress()
    return findings


def fix(db: Session, *, progress: Callable[[], None] = lambda: None) -> None:
    """Delete the dangling notifications and set every wrong counter to its recount.

    db: a transaction in which each statement sees the same snapshot and a concurrently changed row
    is not overwritten (on PostgreSQL REPEATABLE READ); otherwise a counter that changes in the
    meantime drifts. progress: called after each of the `STEPS` steps.
    """
    invalidation.use_own_slot(db)
    # The likes of replies are in no topic list and in no column of a topic.
    invalidation.invalidate(db, invalidation.DISPLAY_NAMES)
    orphans = recount.orphans().scalar_subquery()
    db.execute(delete_of(Notification).where(Notification.id.in_(orphans)))
    progress()
    for each in recount.recounts():
        _fix_counters(db, each)
        progress()


def _check_notifications(db: SqlConnection) -> Finding:
    checked = db.execute(select(func.count()).select_from(Notification)).scalar_one()
    orphans = recount.orphans().subquery()
    wrong = db.execute(select(func.count()).select_from(orphans)).scalar_one()
    return Finding(Notification.__tablename__, checked, wrong)


def _fix_counters(db: Session, each: recount.Recount) -> None:
    wrong = each.select_wrong_rows().order_by(None).subquery()
    values = {name: wrong.c[f"expected_{name}"] for name in each.expected}
    db.execute(update_of(each.model).where(each.id == wrong.c.id).values(values))
