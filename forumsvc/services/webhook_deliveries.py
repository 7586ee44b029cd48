"""Deliveries of events to webhooks: tried, tried again, given up."""

import random
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Row, bindparam, func, insert, or_, select, update
from sqlalchemy.orm import Session

from ..db.execution import SqlConnection
from ..db.expired_rows import ExpiredRows
from ..db.statements import update_of
from ..errors import NotFound
from ..models import (
    DeliveryState,
    Webhook,
    WebhookDelivery,
)

RETRY_PAUSES = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 300, 1800, *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24)))
)
"""How long to wait after each failed attempt, a fifth more or less."""
_JITTER = 0.2
CLAIM = timedelta(minutes=4)
"""After this time another attempt is made by whoever finds the delivery: the sender has died."""
MAX_PAUSE_OF_OTHERS = timedelta(minutes=5)
"""How long at most all deliveries of a webhook wait because one got no answer."""
SWITCH_OFF_AFTER = timedelta(days=3)
"""How long every attempt may fail before a webhook is switched off."""
MOST_COUNTED = 10_000
"""How many deliveries that wait are counted for a webhook: each count reads them."""

_COLUMNS: tuple[Any, ...] = (
    WebhookDelivery.id,
    WebhookDelivery.webhook_id,
    WebhookDelivery.event_id,
    WebhookDelivery.state,
    WebhookDelivery.attempts,
    WebhookDelivery.due_at,
    WebhookDelivery.status,
    WebhookDelivery.error,
    WebhookDelivery.milliseconds,
    WebhookDelivery.created_at,
    WebhookDelivery.delivered_at,
)


class ActiveWebhook(NamedTuple):
    """A webhook that is switched on, as its next message is sent."""

    id: int
    url: str
    generation: int
    rotated_at: datetime | None


def due_webhooks(db: SqlConnection, now: datetime) -> list[int]:
    """Return the ids of the active webhooks that have deliveries due, and are not paused."""
    # A scalar subquery, not EXISTS, which PostgreSQL may run as one pass over all deliveries.
    first_due = (
        select(WebhookDelivery.id)
        .where(WebhookDelivery.webhook_id == Webhook.id, *_is_due(now))
        .order_by(WebhookDelivery.due_at)
        .limit(1)
        .scalar_subquery()
    )
    is_sent_to = (
        Webhook.active.is_(True),
        or_(Webhook.resume_at.is_(None), Webhook.resume_at <= now),
    )
    return [*db.scalars(select(Webhook.id).where(*is_sent_to, first_due.is_not(None)))]


def active_webhook(db: Session, webhook_id: int) -> ActiveWebhook | None:
    """Return a webhook as it is now, or None if it is switched off or deleted."""
    columns: list[Any] = [Webhook.id, Webhook.url, Webhook.generation, Webhook.rotated_at]
    is_it = (Webhook.id == webhook_id, Webhook.active.is_(True))
    row = db.execute(select(*columns).where(*is_it)).one_or_none()
    return None if row is None else ActiveWebhook(*row)


def _is_due(now: datetime) -> tuple[Any, ...]:
    return (WebhookDelivery.state == DeliveryState.WAITING, WebhookDelivery.due_at <= now)


def claim(db: Session, webhook_id: int, now: datetime, limit: int) -> list[Row[Any]]:
    """Return the next deliveries of a webhook, oldest first; keep them from others for `CLAIM`.

    The attempts are counted at once: one during which the process dies counts, too.
    """
    due = (
        select(WebhookDelivery.id)
        .where(WebhookDelivery.webhook_id == webhook_id, *_is_due(now))
        .order_by(WebhookDelivery.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
        # PostgreSQL could run a subquery once for each row, and find others each time.
        .cte("due")
    )
    claimed = update_of(WebhookDelivery).where(WebhookDelivery.id.in_(select(due.c.id)))
    values = {"due_at": now + CLAIM, "attempts": WebhookDelivery.attempts + 1}
    found = db.execute(claimed.values(values).returning(*_COLUMNS)).all()
    return sorted(found, key=lambda row: row.id)


class Attempt(NamedTuple):
    """A delivery as `claim` returned it, and what became of it.

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
    elif attempt.is_final or attempt.delivery.attempts > len(RETRY_PAUSES):
        state = DeliveryState.FAILED
    else:
        due_at = now + _pause(attempt)
    return {
        "delivery_id": attempt.delivery.id,
        "state": state,
        "due_at": due_at,
        "status": attempt.status,
        "error": attempt.error,
        "milliseconds": attempt.milliseconds,
        "delivered_at": now if state is DeliveryState.DELIVERED else None,
    }


def _pause(attempt: Attempt) -> timedelta:
    pause = RETRY_PAUSES[attempt.delivery.attempts - 1]
    pause *= random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - spreads load, no secret
    return max(pause, timedelta(seconds=attempt.retry_after or 0))


def give_back(db: Session, untried: Sequence[Any], now: datetime) -> None:
    """Make deliveries due that were claimed and not tried; their attempts are not counted."""
    if untried:
        claimed = WebhookDelivery.id.in_([delivery.id for delivery in untried])
        values = {"attempts": WebhookDelivery.attempts - 1, "due_at": now}
        db.execute(update_of(WebhookDelivery).where(claimed).values(values))


def pause(db: Session, webhook_id: int, unanswered: Any, now: datetime) -> None:
    """Send nothing more to a webhook that gave no answer, for a moment.

    unanswered: the delivery that it did not answer. The others wait as long as that one does, but
    not longer than `MAX_PAUSE_OF_OTHERS`: it may have failed for hours, and they are new.
    """
    longest = RETRY_PAUSES[min(unanswered.attempts, len(RETRY_PAUSES)) - 1] * (1 + _JITTER)
    _set_resume_at(db, webhook_id, now + min(longest, MAX_PAUSE_OF_OTHERS))


def _set_resume_at(db: Session, webhook_id: int, moment: datetime | None) -> None:
    db.execute(update_of(Webhook).where(Webhook.id == webhook_id).values(resume_at=moment))


def record_health(db: Session, webhook_id: int, now: datetime, *, has_failed: bool) -> bool:
    """Note whether the last attempt failed; return whether all did for `SWITCH_OFF_AFTER`."""
    here = update_of(Webhook).where(Webhook.id == webhook_id)
    if not has_failed:
        db.execute(here.where(Webhook.failing_since.is_not(None)).values(failing_since=None))
        return False
    db.execute(here.where(Webhook.failing_since.is_(None)).values(failing_since=now))
    since = db.scalar(select(Webhook.failing_since).where(Webhook.id == webhook_id))
    return since is not None and since <= now - SWITCH_OFF_AFTER


def ping(db: Session, webhook_id: int, now: datetime) -> None:
    """Send a message of the type `ping`, which is no event. A pause of the webhook ends."""
    _set_resume_at(db, webhook_id, None)
    db.execute(insert(WebhookDelivery).values(webhook_id=webhook_id, due_at=now, created_at=now))


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
    _set_resume_at(db, webhook_id, None)
    again = update_of(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id, *conditions)
    values = {"state": DeliveryState.WAITING, "attempts": 0, "due_at": now, "delivered_at": None}
    return len(db.execute(again.values(values).returning(WebhookDelivery.id)).all())


class Waiting(NamedTuple):
    """The deliveries that wait: their number, and when the oldest was made."""

    number: int
    oldest_at: datetime | None


def waiting(db: SqlConnection) -> Waiting:
    """Count the deliveries of active webhooks that wait; of each webhook at most `MOST_COUNTED`."""
    is_waiting = (
        WebhookDelivery.webhook_id == Webhook.id,
        WebhookDelivery.state == DeliveryState.WAITING,
    )
    counted = select(WebhookDelivery.id).where(*is_waiting).correlate(Webhook).limit(MOST_COUNTED)
    number = select(func.count()).select_from(counted.subquery()).scalar_subquery()
    oldest_first = (
        select(WebhookDelivery.created_at).where(*is_waiting).order_by(WebhookDelivery.id)
    )
    oldest_at = oldest_first.limit(1).scalar_subquery()
    query = select(number.label("number"), oldest_at.label("oldest_at"))
    found = db.execute(query.select_from(Webhook).where(Webhook.active.is_(True))).all()
    return Waiting(
        sum(row.number for row in found),
        min((row.oldest_at for row in found if row.oldest_at is not None), default=None),
    )


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
