"""Reviews of held posts and new accounts: opened, and closed where there is no need to decide."""

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.statements import insert_row, last_inserted_id, update_of
from ...models import Decision, EventType, Review, ReviewKind, ReviewState
from .. import events


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


def close_account_review(db: Session, now: datetime, user_id: int) -> None:
    """Resolve the open review of an account, if there is one, which is deleted without it.

    Before `accounts.delete`, because a decision locks the review before the account, too.
    """
    key = account_key(user_id)
    close_review(db, now, key, Decision.DELETE, user_id, actor_id=None)


def account_key(user_id: int) -> str:
    """Return the key of the reviews of an account."""
    return f"account:{user_id}"
