"""Deleting reviews some time after their decision, with their reports and held posts."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from ...db.execution import SqlConnection
from ...db.statements import delete_of, with_row_locks
from ...models import HeldPost, Report, Review

BATCH_SIZE = 1000
"""Reviews and reports per transaction; on SQLite all other writers wait for it."""


def is_any_over(db: SqlConnection, before: datetime) -> bool:
    """Return whether `delete_some` has something to do, without a lock."""
    return db.scalar(select(Review.id).where(_is_over(before)).limit(1)) is not None


def delete_some(db: Session, before: datetime) -> int:
    """Delete reviews that were resolved before a time; return how many.

    Their reports and their held posts go in the same transaction, so that each review that is
    there can be shown, with all its reports. At most BATCH_SIZE reviews and reports in a
    transaction, except where a single review has more.
    """
    columns: list[Any] = [Review.id, Review.held_post_id, Review.reports_count]
    oldest = select(*columns).where(_is_over(before)).order_by(Review.resolved_at, Review.id)
    rows = db.execute(with_row_locks(oldest.limit(BATCH_SIZE), Review)).all()
    size = 0
    batch: list[Any] = []
    for row in rows:
        size += 1 + row.reports_count
        if batch and size > BATCH_SIZE:
            break
        batch.append(row)
    if not batch:
        return 0
    ids = [row.id for row in batch]
    held_ids = [row.held_post_id for row in batch if row.held_post_id is not None]
    db.execute(delete_of(Report).where(Report.review_id.in_(ids)))
    db.execute(delete_of(Review).where(Review.id.in_(ids)))
    db.execute(delete_of(HeldPost).where(HeldPost.id.in_(held_ids)))
    return len(batch)


def _is_over(before: datetime) -> ColumnElement[bool]:
    # It is null while a review is open.
    return Review.resolved_at <= before
