"""Creating, editing and deleting webhooks, and rotating their secrets.

The values were validated before: known types of events, nodes that exist, a URL that may be called.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from ..db.statements import delete_of, update_of
from ..errors import Forbidden
from ..models import Webhook


def create(
    db: Session,
    actor_id: int | None,
    now: datetime,
    *,
    url: str,
    events: Sequence[str],
    node_ids: Sequence[int] | None,
    description: str,
    most: int,
) -> int:
    """Create a webhook and return its id.

    actor_id: None at the command line; most: how many webhooks there may be (`webhooks.most`).
    Raises Forbidden where there are that many.
    """
    if (db.scalar(select(func.count()).select_from(Webhook)) or 0) >= most:
        raise Forbidden(f"There are {most} webhooks already (webhooks.most).")
    values = {
        "url": url,
        "events": list(events),
        "node_ids": None if node_ids is None else list(node_ids),
        "description": description,
        "created_by_id": actor_id,
        "created_at": now,
    }
    return db.execute(insert(Webhook).values(values).returning(Webhook.id)).scalar_one()


def edit(db: Session, webhook_id: int, **columns: Any) -> None:
    """Set columns of a webhook: url, events, node_ids, description, active.

    One that is switched on again starts without a reason and without failures.
    """
    if columns.get("active"):
        columns |= {"disabled_reason": None, "failing_since": None}
    if columns:
        db.execute(update_of(Webhook).where(Webhook.id == webhook_id).values(**columns))


def rotate(db: Session, webhook_id: int, now: datetime) -> int:
    """Give a webhook a new secret; return its generation. The one before signs for a day, too."""
    rotated = update_of(Webhook).where(Webhook.id == webhook_id)
    generation = Webhook.generation + 1
    return db.execute(
        rotated.values(generation=generation, rotated_at=now).returning(Webhook.generation)
    ).scalar_one()


def destroy(db: Session, webhook_id: int) -> None:
    """Delete a webhook and its deliveries."""
    db.execute(delete_of(Webhook).where(Webhook.id == webhook_id))
