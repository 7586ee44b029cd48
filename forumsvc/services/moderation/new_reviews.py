"""Opening reviews of what is not published yet: held posts and new accounts."""

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.statements import insert_row, last_inserted_id
from ...models import EventType, Review, ReviewKind, ReviewState
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
