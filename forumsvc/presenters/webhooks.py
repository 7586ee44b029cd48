"""Webhooks and their deliveries, as admins see them."""

from typing import Any

from ..clock import rfc3339, rfc3339_or_none
from ..models import DeliveryState
from ..queries.rows import DeliveryRow, WebhookRow
from .events import event_id


def webhook(row: WebhookRow, secret: str | None) -> dict[str, Any]:
    """Return a webhook. secret: given in the one response that shows it."""
    shown = {
        "id": row.id,
        "url": row.url,
        "description": row.description,
        "events": row.events,
        "node_ids": row.node_ids,
        "active": row.active,
        "disabled_reason": row.disabled_reason,
        "created_at": rfc3339(row.created_at),
    }
    return shown if secret is None else {**shown, "secret": secret}


def delivery(row: DeliveryRow) -> dict[str, Any]:
    """Return a delivery, with the outcome of its last attempt.

    `event_id` is null for a ping; `due_at` is null once no more attempts are made.
    """
    is_waiting = row.state == DeliveryState.WAITING
    return {
        "id": row.id,
        "event_id": None if row.event_id is None else event_id(row.event_id),
        "state": row.state,
        "attempts": row.attempts,
        "status": row.status,
        "error": row.error,
        "milliseconds": row.milliseconds,
        "due_at": rfc3339(row.due_at) if is_waiting else None,
        "created_at": rfc3339(row.created_at),
        "delivered_at": rfc3339_or_none(row.delivered_at),
    }
