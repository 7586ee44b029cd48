"""Creating, editing and deleting webhooks, and rotating their secrets.

The values were validated before: known types of events, nodes that exist, a URL that may be called.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from ...db.execution import ReadConnection
from ...db.statements import delete_of, update_of
from ...errors import Forbidden, Invalid
from ...models import AdminAction, MailKind, Role, User, UserState, Webhook
from ...queries import nodes
from .. import mails
from ..moderation import actions
from ..moderation.actions import Action
from . import webhook_deliveries


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
    active: bool = True,
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
        "active": active,
        "created_by_id": actor_id,
        "created_at": now,
    }
    created = insert(Webhook).values(values).returning(Webhook.id)
    webhook_id: int = db.execute(created).scalar_one()
    _log(db, AdminAction.WEBHOOK_CREATED, actor_id, now, webhook_id)
    return webhook_id


def edit(db: Session, actor_id: int | None, now: datetime, webhook_id: int, **columns: Any) -> None:
    """Set columns of a webhook: url, events, node_ids, description, active.

    One that is switched on again starts without a reason and without failures. What waits because
    the receiver gave no answer is sent at once.
    """
    if columns.get("active"):
        columns |= {"disabled_reason": None, "failing_since": None}
    if columns:
        webhook = update_of(Webhook).where(Webhook.id == webhook_id)
        db.execute(webhook.values(columns))
        webhook_deliveries.make_due(db, webhook_id, now)
        _log(db, AdminAction.WEBHOOK_UPDATED, actor_id, now, webhook_id, changed=sorted(columns))


def switch_off(db: Session, webhook_id: int, now: datetime, reason: str) -> None:
    """Switch a webhook off, and tell the admins by email; its deliveries wait.

    To confirmed addresses only: the URL may be a secret.
    """
    off = update_of(Webhook).where(Webhook.id == webhook_id, Webhook.active.is_(True))
    values = {"active": False, "disabled_reason": reason}
    switched = db.execute(off.values(values).returning(Webhook.url)).first()
    if switched is None:
        return
    _log(db, AdminAction.WEBHOOK_UPDATED, None, now, webhook_id, reason, changed=["active"])
    is_admin = User.role == Role.ADMIN, User.state == UserState.ACTIVE
    is_confirmed = User.email.is_not(None), User.email_confirmed_at.is_not(None)
    for email in db.scalars(select(User.email).where(*is_admin, *is_confirmed).order_by(User.id)):
        data = {"webhook": str(webhook_id), "url": switched.url, "reason": reason}
        mails.enqueue(db, MailKind.WEBHOOK_OFF, email or "", now, data=data)


def check_nodes(db: ReadConnection, node_ids: Iterable[int]) -> None:
    """Raise Invalid for `node_ids` if one of the nodes does not exist."""
    for node_id in node_ids:
        if not nodes.exists(db, node_id):
            raise Invalid("node_ids", f"there is no node {node_id}")


def rotate(db: Session, actor_id: int | None, now: datetime, webhook_id: int) -> int:
    """Give a webhook a new secret; return its generation. The one before signs for a day, too."""
    rotated = update_of(Webhook).where(Webhook.id == webhook_id)
    generation = Webhook.generation + 1
    _log(db, AdminAction.WEBHOOK_UPDATED, actor_id, now, webhook_id, changed=["secret"])
    return db.execute(
        rotated.values(generation=generation, rotated_at=now).returning(Webhook.generation)
    ).scalar_one()


def destroy(db: Session, actor_id: int | None, now: datetime, webhook_id: int) -> None:
    """Delete a webhook with its deliveries, and record it in the log."""
    db.execute(delete_of(Webhook).where(Webhook.id == webhook_id))
    _log(db, AdminAction.WEBHOOK_DELETED, actor_id, now, webhook_id)


def _log(
    db: Session,
    action: AdminAction,
    actor_id: int | None,
    now: datetime,
    webhook_id: int,
    reason: str | None = None,
    **extra: Any,
) -> None:
    details = {"webhook_id": webhook_id, **extra}
    actions.record(db, Action(action, actor_id, now, reason=reason, details=details))
