"""Deliveries of events to webhooks: tried, tried again, given up."""

import random
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Row, bindparam, func, insert, or_, select, update
from sqlalchemy.orm import Session

from ...db.execution import SqlConnection
from ...db.expired_rows import ExpiredRows
from ...db.statements import update_of
from ...errors import NotFound
from ...models import DeliveryState, JobKind, Webhook, WebhookDelivery
from .. import jobs

RETRY_PAUSES = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 300, 1800, *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24)))
)
"""How long to wait after each failed attempt, a fifth more or less."""
_JITTER = 0.2
MAX_PAUSE_OF_OTHERS = timedelta(minutes=5)
"""How long at most all deliveries of a webhook wait because one got no answer."""
SWITCH_OFF_AFTER = timedelta(days=3)
"""How long every attempt may fail before a webhook is switched off."""
_COLUMNS: tuple[Any, ...] = (
    WebhookDelivery.id,
    WebhookDelivery.webhook_id,
    WebhookDelivery.event_id,
    WebhookDelivery.attempts,
    WebhookDelivery.due_at,
)


class ActiveWebhook(NamedTuple):
    """A webhook that is switched on, as its next message is sent."""

    id: int
    url: str
    generation: int
    rotated_at: datetime | None


def active_webhook(db: SqlConnection, webhook_id: int) -> ActiveWebhook | None:
    """Return a webhook as it is now, or None if it is switched off or deleted."""
    columns: list[Any] = [Webhook.id, Webhook.url, Webhook.generation, Webhook.rotated_at]
    is_it = (Webhook.id == webhook_id, Webhook.active.is_(True))
    row = db.execute(select(*columns).where(*is_it)).one_or_none()
    return None if row is None else ActiveWebhook(*row)


def next_due(db: SqlConnection, webhook_id: int, now: datetime, limit: int) -> Sequence[Row[Any]]:
    """Return the next deliveries of a webhook, oldest first."""
    due = (*_is_waiting(webhook_id), WebhookDelivery.due_at <= now)
    return db.execute(select(*_COLUMNS).where(*due).order_by(WebhookDelivery.id).limit(limit)).all()


def next_due_at(db: SqlConnection, webhook_id: int) -> datetime | None:
    """Return when the next delivery of a webhook is due; None without one, or if it is off."""
    is_active = select(Webhook.id).where(Webhook.id == webhook_id, Webhook.active.is_(True))
    waiting = select(WebhookDelivery.due_at).where(*_is_waiting(webhook_id), is_active.exists())
    return db.scalar(waiting.order_by(WebhookDelivery.due_at).limit(1))


def _is_waiting(webhook_id: int) -> tuple[Any, ...]:
    waiting = WebhookDelivery.state == DeliveryState.WAITING
    return (WebhookDelivery.webhook_id == webhook_id, waiting)


class Attempt(NamedTuple):
    """A delivery as `next_due` returned it, and what became of it.

    status: HTTP's, None without an answer; error: None for success; retry_after: seconds.
    """

    delivery: Any
    status: int | None
    error: str | None
    retry_after: float | None = None
    milliseconds: int = 0
    is_final: bool = False


def record(db: Session, attempts: Iterable[Attempt], now: datetime) -> int:
    """Store the outcome of attempts; return how many deliveries were given up."""
    rows = [_outcome(attempt, now) for attempt in attempts]
    # On the connection: a session would look at each row for its identity map.
    db.connection().execute(_record(), rows)
    return sum(row["state"] == DeliveryState.FAILED for row in rows)


@cache
def _record() -> Any:
    """Return the UPDATE of the columns of `_outcome`."""
    table: Any = WebhookDelivery.__table__
    return update(table).where(table.c.id == bindparam("delivery_id"))


def _outcome(attempt: Attempt, now: datetime) -> dict[str, Any]:
    """Return the columns of a delivery after an attempt, for `_record`."""
    state, due_at = DeliveryState.WAITING, attempt.delivery.due_at
    if attempt.error is None:
        state = DeliveryState.DELIVERED
    elif attempt.is_final or attempt.delivery.attempts >= len(RETRY_PAUSES):
        state = DeliveryState.FAILED
    else:
        due_at = now + _pause(attempt)
    return {
        "delivery_id": attempt.delivery.id,
        "state": state,
        "attempts": attempt.delivery.attempts + 1,
        "due_at": due_at,
        "status": attempt.status,
        "error": attempt.error,
        "milliseconds": attempt.milliseconds,
        "delivered_at": now if state is DeliveryState.DELIVERED else None,
    }


def _pause(attempt: Attempt) -> timedelta:
    pause = RETRY_PAUSES[attempt.delivery.attempts]
    pause *= random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - spreads load, no secret
    return max(pause, timedelta(seconds=attempt.retry_after or 0))


def resume_at(unanswered: Any, now: datetime) -> datetime:
    """Return until when nothing more is sent to a webhook that gave no answer.

    unanswered: the delivery that it did not answer. The others wait as long as that one does, but
    not longer than `MAX_PAUSE_OF_OTHERS`: it may have failed for hours, and they are new.
    """
    longest = RETRY_PAUSES[min(unanswered.attempts, len(RETRY_PAUSES) - 1)] * (1 + _JITTER)
    return now + min(longest, MAX_PAUSE_OF_OTHERS)


def record_health(db: Session, webhook_id: int, now: datetime, *, has_failed: bool) -> bool:
    """Note whether a batch failed whole; return whether all have for `SWITCH_OFF_AFTER`."""
    webhook = update_of(Webhook).where(Webhook.id == webhook_id)
    if not has_failed:
        db.execute(webhook.where(Webhook.failing_since.is_not(None)).values(failing_since=None))
        return False
    db.execute(webhook.where(Webhook.failing_since.is_(None)).values(failing_since=now))
    since = db.scalar(select(Webhook.failing_since).where(Webhook.id == webhook_id))
    return since is not None and since <= now - SWITCH_OFF_AFTER


def ping(db: Session, webhook_id: int, now: datetime) -> None:
    """Send a message of the type `ping`, which is no event. A pause of the webhook ends."""
    db.execute(insert(WebhookDelivery).values(webhook_id=webhook_id, due_at=now, created_at=now))
    make_due(db, webhook_id, now)


def redeliver(db: Session, webhook_id: int, delivery_id: int, now: datetime) -> None:
    """Send a delivery again. Raises NotFound if the webhook has none with this id."""
    if not _restart(db, webhook_id, now, WebhookDelivery.id == delivery_id):
        raise NotFound(f"There is no delivery {delivery_id}.")


def replay(
    db: Session,
    webhook_id: int,
    now: datetime,
    *,
    since: datetime,
    until: datetime | None,
    include_delivered: bool,
) -> int:
    """Send again what failed in a time, or was delivered, too; return how many."""
    states = [DeliveryState.FAILED, *([DeliveryState.DELIVERED] if include_delivered else [])]
    return _restart(
        db,
        webhook_id,
        now,
        WebhookDelivery.state.in_(states),
        WebhookDelivery.created_at >= since,
        WebhookDelivery.created_at < (until or now),
    )


def _restart(db: Session, webhook_id: int, now: datetime, *conditions: Any) -> int:
    """Make deliveries of a webhook wait anew, end its pause, and return how many they are."""
    again = update_of(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id, *conditions)
    values = {"state": DeliveryState.WAITING, "attempts": 0, "due_at": now, "delivered_at": None}
    number = len(db.execute(again.values(values).returning(WebhookDelivery.id)).all())
    make_due(db, webhook_id, now)
    return number


def make_due(db: Session, webhook_id: int, now: datetime) -> None:
    """Let what is due be sent to a webhook at once. A pause of it ends."""
    itself = select(Webhook.id).where(Webhook.id == webhook_id)
    jobs.make_due(db, JobKind.DELIVER, itself, now, ends_pause=True)


def given_up_since(db: SqlConnection, moment: datetime) -> dict[int, int]:
    """Count the deliveries made at that time or later that were given up, by webhook."""
    failed = (
        WebhookDelivery.state == DeliveryState.FAILED,
        WebhookDelivery.created_at >= moment,
    )
    columns: list[Any] = [WebhookDelivery.webhook_id, func.count()]
    counts = select(*columns).where(*failed).group_by(WebhookDelivery.webhook_id)
    return {row[0]: row[1] for row in db.execute(counts)}


def expired(keep: timedelta) -> ExpiredRows:
    """Return the deliveries that may be deleted. keep: for how long they are kept."""
    return ExpiredRows(
        WebhookDelivery,
        lambda now: [
            WebhookDelivery.created_at <= now - keep,
            or_(
                WebhookDelivery.state != DeliveryState.WAITING,
                WebhookDelivery.webhook_id.in_(select(Webhook.id).where(Webhook.active.is_(False))),
            ),
        ],
    )
