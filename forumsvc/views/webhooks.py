"""The endpoints of webhooks. Sending is the background worker's work, so it answers 202."""

from typing import Any

from ..models import DeliveryState
from ..permissions import WebhookPermission
from ..queries import webhooks as reading
from ..resources.webhooks import Deliveries, DeliveryItem, WebhookItem, Webhooks
from ..schemas.webhooks import DELIVERY_LIST, REPLAY_FORM, changed_webhook, new_webhook
from ..services.webhooks import webhook_deliveries, webhook_signature, webhooks
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Count, Detail, Kind, Listing, Ok

_MANAGE = WebhookPermission.MANAGE
_ACCEPTED = 202


@api_view(Webhooks, "GET", _MANAGE)
def list_webhooks(container: Webhooks, request: ForumRequest) -> Listing:
    return Listing(Kind.WEBHOOK, "webhooks", reading.all_webhooks(request.db))


@api_view(Webhooks, "POST", _MANAGE, schema=new_webhook)
def create_webhook(container: Webhooks, request: ForumRequest) -> Detail:
    """Create a webhook; the response shows its secret."""
    db, values = request.db, _columns(request)
    most = request.settings["webhooks.most"]
    created_id = webhooks.create(db, request.actor_id_or_none, request.now, **values, most=most)
    return Detail(Kind.WEBHOOK, _with_secret(container.get(created_id), request), is_new=True)


@api_view(WebhookItem, "GET", _MANAGE)
def read_webhook(item: WebhookItem, request: ForumRequest) -> Detail:
    return Detail(Kind.WEBHOOK, item)


@api_view(WebhookItem, "PUT", _MANAGE, schema=changed_webhook, locked="row")
def update_webhook(item: WebhookItem, request: ForumRequest) -> Detail:
    """Change the parts of a webhook that the client sent."""
    webhooks.edit(
        request.db, request.actor_id_or_none, request.now, item.row_id, **_columns(request)
    )
    return Detail(Kind.WEBHOOK, item.reloaded())


@api_view(WebhookItem, "DELETE", _MANAGE, locked="row")
def delete_webhook(item: WebhookItem, request: ForumRequest) -> Ok:
    """Delete a webhook and its deliveries."""
    webhooks.destroy(request.db, request.actor_id_or_none, request.now, item.row_id)
    return Ok()


@api_view(WebhookItem, "POST", _MANAGE, name="rotate", locked="row")
def rotate_secret(item: WebhookItem, request: ForumRequest) -> Detail:
    """Give a webhook a new secret, and show it."""
    webhooks.rotate(request.db, request.actor_id_or_none, request.now, item.row_id)
    return Detail(Kind.WEBHOOK, _with_secret(item.reloaded(), request))


@api_view(WebhookItem, "POST", _MANAGE, name="ping", locked="row")
def ping_webhook(item: WebhookItem, request: ForumRequest) -> Ok:
    """Have a test message sent."""
    webhook_deliveries.ping(request.db, item.row_id, request.now)
    request.response.status_int = _ACCEPTED
    return Ok()


@api_view(WebhookItem, "POST", _MANAGE, name="replay", schema=REPLAY_FORM, locked="row")
def replay_deliveries(item: WebhookItem, request: ForumRequest) -> Count:
    """Have deliveries of a time sent again."""
    values = request.validated
    count = webhook_deliveries.replay(
        request.db,
        item.row_id,
        request.now,
        since=values["since"],
        until=values["until"],
        include_delivered=values["all"],
    )
    request.response.status_int = _ACCEPTED
    return Count(count)


@api_view(Deliveries, "GET", _MANAGE, schema=DELIVERY_LIST)
def list_deliveries(container: Deliveries, request: ForumRequest) -> Listing:
    """List the deliveries of a webhook, the newest first."""
    state = request.validated["state"]
    chosen = None if state is None else DeliveryState(state)
    result, cursors = reading.deliveries_of(request.db, container.webhook_id, chosen, request.page)
    return Listing(Kind.DELIVERY, "deliveries", result, cursors)


@api_view(DeliveryItem, "POST", _MANAGE, name="redeliver")
def redeliver(item: DeliveryItem, request: ForumRequest) -> Ok:
    """Have a delivery sent again."""
    container = item.__parent__
    assert isinstance(container, Deliveries), "the parent of a delivery"  # noqa: S101
    webhook_deliveries.redeliver(request.db, container.webhook_id, item.row_id, request.now)
    request.response.status_int = _ACCEPTED
    return Ok()


def _columns(request: ForumRequest) -> dict[str, Any]:
    """Return the values of the request by column. Raises Invalid for a node that does not exist."""
    values = dict(request.validated)
    node_ids = values.get("node_ids")
    if node_ids:
        webhooks.check_nodes(request.db, node_ids)
    elif "node_ids" in values:
        values["node_ids"] = None
    return values


def _with_secret(item: WebhookItem, request: ForumRequest) -> WebhookItem:
    session_secret = request.settings["session.secret"]
    secret = webhook_signature.derive_secret(session_secret, item.row_id, item.row.generation)
    item.secret = webhook_signature.format_secret(secret)
    return item
