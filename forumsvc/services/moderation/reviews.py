"""Reviews: opened, closed where there is no need to decide, and deleted some time afterwards.

Those of reported posts are opened in `reports`.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from ...db.execution import SqlConnection
from ...db.statements import delete_of, insert_row, last_inserted_id, update_of, with_row_locks
from ...models import Decision, EventType, HeldPost, Report, Review, ReviewKind, ReviewState
from .. import events

BATCH_SIZE = 1000
"""Reviews and reports that are deleted per transaction; on SQLite all other writers wait for it."""


def open_review(
    db: Session,
    now: datetime,
    kind: ReviewKind,
    key: str,
    user_id: int,
    *,
    held_post_id: int | None = None,
) -> None:
    """Let a moderator look at something that is new, so that no review of it can exist.

    key: what it is about; user_id: whose it is.
    """
    values: dict[str, Any] = {
        "kind": str(kind),
        "object_key": key,
        "user_id": user_id,
        "held_post_id": held_post_id,
        "state": str(ReviewState.OPEN),
        "opened_at": now,
    }
    insert_row(db, Review, **values)
    data = {"review_id": db.scalars(select(last_inserted_id(Review))).one()}
    events.record(db, EventType.REVIEW_OPENED, now, actor_id=None, user_id=user_id, data=data)


def close_review(
    db: Session,
    now: datetime,
    key: str,
    decision: Decision,
    user_id: int,
    *,
    actor_id: int | None,
) -> None:
    """Resolve the open review of something, if there is one, because it waits no more.

    key, user_id: as for `open_review`; actor_id: who caused it, None at the command line, or the
    service.
    """
    closed = (
        update_of(Review)
        .where(Review.object_key == key, Review.state == ReviewState.OPEN)
        .values(
            state=str(ReviewState.RESOLVED),
            decision=str(decision),
            resolved_by_id=actor_id,
            resolved_at=now,
            version=Review.version + 1,
        )
    )
    review_id = db.scalars(closed.returning(Review.id)).one_or_none()
    if review_id is not None:
        data = {"review_id": review_id, "decision": str(decision)}
        type_ = EventType.REVIEW_RESOLVED
        events.record(db, type_, now, actor_id=actor_id, user_id=user_id, data=data)


def is_decided_since(db: SqlConnection, kind: str, post_id: int, since: datetime) -> bool:
    """Return whether a moderator has decided on a post's reports since a time. kind: of the post.

    The author had deleted it then: whatever was decided, it does not come back by itself.
    """
    column = Review.topic_id if kind == "topic" else Review.reply_id
    is_post = (column == post_id, Review.object_key == f"{kind}:{post_id}")
    decided = select(Review.id).where(*is_post, Review.resolved_at >= since)
    return db.execute(decided.limit(1)).first() is not None


def close_account_review(db: Session, now: datetime, user_id: int) -> None:
    """Resolve the open review of an account, if there is one, which is deleted without it.

    Before `accounts.delete`, because a decision locks the review before the account, too.
    """
    key = account_key(user_id)
    close_review(db, now, key, Decision.DELETE, user_id, actor_id=None)


def account_key(user_id: int) -> str:
    """Return the `object_key` of reviews of a whole account, not of one of its posts."""
    return f"account:{user_id}"


def has_due(db: SqlConnection, before: datetime) -> bool:
    """Return whether `delete_some` has something to do, without a lock."""
    return db.scalar(select(Review.id).where(_is_due(before)).limit(1)) is not None


def delete_some(db: Session, before: datetime) -> int:
    """Delete reviews that were resolved before a time; return how many.

    Their reports and their held posts go in the same transaction, so that each review that is
    there can be shown, with all its reports. At most BATCH_SIZE reviews and reports in a
    transaction, except where a single review has more.
    """
    columns: list[Any] = [Review.id, Review.held_post_id, Review.reports_count]
    oldest = select(*columns).where(_is_due(before)).order_by(Review.resolved_at, Review.id)
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


def _is_due(before: datetime) -> ColumnElement[bool]:
    # It is null while a review is open.
    return Review.resolved_at <= before
