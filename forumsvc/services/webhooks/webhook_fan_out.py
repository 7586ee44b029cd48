"""Making the deliveries of events: a row for each webhook that wants the event.

They are made in the transaction that moves the position of the consumer: each event once for each
webhook, whatever ends in between.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.statements import insert_of
from ...models import ALL_EVENTS, EventType, JobKind, Webhook, WebhookDelivery
from ...queries.rows import EventRow
from .. import jobs


def fan_out(db: Session, events: Sequence[EventRow], now: datetime) -> int:
    """Make the deliveries of events, and return how many."""
    webhooks = db.execute(
        select(*_columns_of_webhook()).where(Webhook.active.is_(True)).order_by(Webhook.id)
    ).all()
    if not webhooks:
        return 0
    values = [
        {"webhook_id": webhook.id, "event_id": event.id, "due_at": now, "created_at": now}
        for event in events
        for webhook in webhooks
        if _wants(webhook, event)
    ]
    if values:
        dialect = db.get_bind().dialect.name
        db.execute(insert_of(WebhookDelivery, dialect).on_conflict_do_nothing(), values)
        wanting = select(Webhook.id).where(
            Webhook.id.in_({value["webhook_id"] for value in values})
        )
        jobs.make_due(db, JobKind.DELIVER, wanting, now)
    return len(values)


def _columns_of_webhook() -> tuple[Any, ...]:
    return (Webhook.id, Webhook.events, Webhook.node_ids)


def _wants(webhook: Any, event: EventRow) -> bool:
    if ALL_EVENTS not in webhook.events and event.type not in webhook.events:
        return False
    if webhook.node_ids is None:
        return True
    if event.topic_id is None and event.reply_id is None:
        return True
    return not _nodes_of(event).isdisjoint(webhook.node_ids)


def _nodes_of(event: EventRow) -> set[int | None]:
    """Return the node in which something happened to a post; of a move both nodes.

    It is the node at that time: the topic may have been moved to another one since.
    """
    if event.type == EventType.TOPIC_MOVED and event.data:
        return {event.node_id, json.loads(event.data)["from_node_id"]}
    return {event.node_id}
