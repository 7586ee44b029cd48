"""Loads webhooks and their deliveries."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache, partial
from typing import Any

from sqlalchemy import Row, Select, and_, bindparam, case, func, or_, select

from ..db.execution import ReadConnection, SqlConnection, row, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..db.statements import with_row_locks
from ..models import DeliveryState, Webhook, WebhookDelivery
from .rows import DeliveryRow, WebhookRow, columns

_NEWEST_FIRST = SortOrder("deliveries", id=WebhookDelivery.id)
_COLUMNS = columns(Webhook, WebhookRow)
_DELIVERY_COLUMNS = columns(WebhookDelivery, DeliveryRow, without={"id"})


@cache
def _all() -> Select[Any]:
    return select(*_COLUMNS).order_by(Webhook.id)


def all_webhooks(db: ReadConnection) -> Sequence[Row[Any]]:
    """Return all webhooks by id; there are at most `webhooks.most`."""
    return rows(db, _all(), {})


def failing_since(db: SqlConnection) -> datetime | None:
    """Return since when the webhook fails that has failed the longest; None without one."""
    is_failing = (Webhook.active.is_(True), Webhook.failing_since.is_not(None))
    return db.scalar(select(func.min(Webhook.failing_since)).where(*is_failing))


def unhealthy(db: SqlConnection) -> Sequence[Row[Any]]:
    """Return the webhooks that the service switched off or whose attempts fail, by id.

    Rows of id, url, disabled_reason (None: it is on) and failing_since.
    """
    shown: list[Any] = [
        Webhook.id,
        Webhook.url,
        case((Webhook.active.is_(False), Webhook.disabled_reason)).label("disabled_reason"),
        Webhook.failing_since,
    ]
    is_off = and_(Webhook.active.is_(False), Webhook.disabled_reason.is_not(None))
    is_failing = and_(Webhook.active.is_(True), Webhook.failing_since.is_not(None))
    return db.execute(select(*shown).where(or_(is_off, is_failing)).order_by(Webhook.id)).all()


@cache
def _by_id(*, lock: bool) -> Select[Any]:
    statement = select(*_COLUMNS).where(Webhook.id == bindparam("id"))
    return with_row_locks(statement, Webhook) if lock else statement


def by_id(db: ReadConnection, webhook_id: int, *, lock: bool = False) -> WebhookRow | None:
    """Return a webhook, or None. lock: lock it until the transaction ends."""
    return row(db, _by_id(lock=lock), {"id": webhook_id})


@cache
def _delivery_by_id() -> Select[Any]:
    return select(WebhookDelivery.id, *_DELIVERY_COLUMNS).where(
        WebhookDelivery.webhook_id == bindparam("webhook_id"), WebhookDelivery.id == bindparam("id")
    )


def delivery_by_id(db: ReadConnection, webhook_id: int, delivery_id: int) -> DeliveryRow | None:
    """Return a delivery of a webhook, or None."""
    return row(db, _delivery_by_id(), {"webhook_id": webhook_id, "id": delivery_id})


@cache
def _page(keyset: KeysetPage, *, has_state: bool) -> Select[Any]:
    statement = select(*keyset.order.keys, *_DELIVERY_COLUMNS).where(
        WebhookDelivery.webhook_id == bindparam("webhook_id")
    )
    if has_state:
        statement = statement.where(WebhookDelivery.state == bindparam("state"))
    page: Select[Any] = keyset.apply(statement)  # type: ignore[assignment]  # one key: no union
    return page


def deliveries_of(
    db: ReadConnection, webhook_id: int, state: DeliveryState | None, page: PageRequest
) -> PageRows:
    """Return a page of a webhook's deliveries, with the columns of `delivery_by_id`, newest first.

    state: only those; None: all.
    """
    build = partial(_page, has_state=state is not None)
    return load_page(db, page, _NEWEST_FIRST, build, {"webhook_id": webhook_id, **_only(state)})


def _only(state: DeliveryState | None) -> dict[str, Any]:
    return {} if state is None else {"state": str(state)}
