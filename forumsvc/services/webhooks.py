"""Creating, editing and deleting webhooks, and rotating their secrets.

The values were validated before: known types of events, nodes that exist, a URL that may be called.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, insert, select
from sqlalchemy.orm import Session

from ..db.execution import SqlConnection
from ..db.statements import delete_of, update_of
from ..errors import Forbidden
from ..ids import MAX_ID
from ..models import MailKind, Role, User, UserState, Webhook
from . import mails


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


def all_webhooks(db: SqlConnection) -> Sequence[Row[Any]]:
    """Return all webhooks by id: id, url, description, events, node_ids, active, disabled_reason,
    created_at.
    """
    columns: tuple[Any, ...] = (
        *(Webhook.id, Webhook.url, Webhook.description, Webhook.events, Webhook.node_ids),
        *(Webhook.active, Webhook.disabled_reason, Webhook.created_at),
    )
    return db.execute(select(*columns).order_by(Webhook.id)).all()


def exists(db: SqlConnection, webhook_id: int) -> bool:
    """Return whether there is a webhook with this id."""
    possible_id = webhook_id if 0 < webhook_id <= MAX_ID else 0
    return db.scalar(select(Webhook.id).where(Webhook.id == possible_id)) is not None


def edit(db: Session, webhook_id: int, **columns: Any) -> None:
    """Set columns of a webhook: url, events, node_ids, description, active.

    One that is switched on again starts without a reason and without failures.
    """
    if columns.get("active"):
        columns |= {"disabled_reason": None, "failing_since": None}
    if columns:
        db.execute(update_of(Webhook).where(Webhook.id == webhook_id).values(**columns))


def switch_off(db: Session, webhook_id: int, now: datetime, reason: str) -> None:
    """Switch a webhook off, and tell the admins by email; its deliveries wait."""
    off = update_of(Webhook).where(Webhook.id == webhook_id, Webhook.active.is_(True))
    values = {"active": False, "disabled_reason": reason}
    switched = db.execute(off.values(values).returning(Webhook.url)).first()
    if switched is None:
        return
    is_admin = (User.role == Role.ADMIN, User.state == UserState.ACTIVE, User.email.is_not(None))
    for email in db.scalars(select(User.email).where(*is_admin).order_by(User.id)):
        data = {"webhook": str(webhook_id), "url": switched.url, "reason": reason}
        mails.enqueue(db, MailKind.WEBHOOK_OFF, email or "", now, data=data)


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
