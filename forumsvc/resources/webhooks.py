"""Webhooks and their deliveries."""

from typing import Any

from pyramid.authorization import Allow

from ..db.execution import ReadConnection
from ..permissions import WebhookPermission
from ..queries import webhooks
from ..queries.rows import DeliveryRow, WebhookRow
from ..security import principals
from .base import Acl, Container, Item, Resource


class DeliveryItem(Item):
    """An event for a webhook, and the outcome of its last attempt."""

    row: DeliveryRow


class Deliveries(Container):
    """`/api/v3/webhooks/:id/deliveries`."""

    item = DeliveryItem

    def __init__(self, parent: Resource, name: str, webhook_id: int) -> None:
        """webhook_id: of the webhook whose deliveries these are."""
        super().__init__(parent, name)
        self.webhook_id = webhook_id

    def load(self, db: ReadConnection, item_id: int) -> DeliveryRow | None:
        """Return the delivery's row if it is the webhook's."""
        return webhooks.delivery_by_id(db, self.webhook_id, item_id)


class WebhookItem(Item):
    """A webhook. secret: set in the one response that shows it."""

    row: WebhookRow
    secret: str | None = None

    def edit_version(self) -> tuple[Any, ...]:
        """Return all that an admin can change, with the generation of its secret."""
        row = self.row
        settings = (row.url, row.description, row.events, row.node_ids)
        return (*settings, row.generation, row.active, row.disabled_reason)

    def __getitem__(self, name: str) -> Resource:
        """Return the webhook's deliveries."""
        if name == "deliveries":
            return Deliveries(self, name, self.row_id)
        raise KeyError(name)


class Webhooks(Container):
    """`/api/v3/webhooks`."""

    item = WebhookItem
    find = staticmethod(webhooks.by_id)

    def __acl__(self) -> Acl:
        """Admins may do everything."""
        return [(Allow, principals.ADMIN, tuple(WebhookPermission))]
