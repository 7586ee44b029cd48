"""Making the deliveries of events: a row for each webhook that wants the event.

They are made in the transaction that moves the position of the consumer: each event once for each
webhook, whatever ends in between.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..db.statements import insert_of
from ..models import ALL_EVENTS, Event, Reply, Topic, Webhook, WebhookDelivery
from ..queries.rows import EventRow


def fan_out(db: Session, events: Sequence[EventRow], now: datetime) -> int:
    """Make the deliveries of events, and return how many."""
    webhooks = db.execute(
        select(*_columns_of_webhook()).where(Webhook.active.is_(True)).order_by(Webhook.id)
    ).all()
    if not webhooks:
        return 0
    by_node = any(webhook.node_ids is not None for webhook in webhooks)
    nodes = _nodes_of(db, events) if by_node else {}
    values = [
        {"webhook_id": webhook.id, "event_id": event.id, "due_at": now, "created_at": now}
        for event in events
        for webhook in webhooks
        if _wants(webhook, event, nodes.get(event.id))
    ]
    if values:
        dialect = db.get_bind().dialect.name
        db.execute(insert_of(WebhookDelivery, dialect).on_conflict_do_nothing(), values)
    return len(values)


def _columns_of_webhook() -> tuple[Any, ...]:
    return (Webhook.id, Webhook.events, Webhook.node_ids)


def _wants(webhook: Any, event: EventRow, node_id: int | None) -> bool:
    if ALL_EVENTS not in webhook.events and event.type not in webhook.events:
        return False
    return webhook.node_ids is None or node_id is None or node_id in webhook.node_ids


def _nodes_of(db: Session, events: Sequence[EventRow]) -> dict[int, int]:
    """Return the node of each event that has one, by the event's id."""
    columns: list[Any] = [Event.id, Topic.node_id]
    found = db.execute(
        select(*columns)
        .outerjoin(Reply, Reply.id == Event.reply_id)
        .join(Topic, Topic.id == func.coalesce(Event.topic_id, Reply.topic_id))
        .where(Event.id.in_([event.id for event in events]))
    )
    return {row.id: row.node_id for row in found}
