"""The parameters of the endpoints of webhooks."""

from typing import Any

import colander

from ..models import ALL_EVENTS, DeliveryState, EventType
from ..outgoing.addresses import ForbiddenAddress, parse_url
from .fields import Boolean, Choice, Line, Lines, Moment, clearable, optional, parameters, required
from .lists import Choices, Ids
from .paging import page_parameters

EVENT_TYPES = (ALL_EVENTS, *(str(item) for item in EventType))
MAX_URL = 2_000
MAX_DESCRIPTION = 500
MAX_NODES = 100


class WebhookUrl(Line):
    """The URL of a webhook, which leads to no private network."""

    def __init__(self, *, allow_private: bool) -> None:
        """allow_private: the setting `webhooks.allow_private`."""
        super().__init__(1, MAX_URL)
        self.allow_private = allow_private

    def parse(self, node: Any, value: Any) -> str:
        """Return the trimmed URL."""
        url = super().parse(node, value)
        try:
            parse_url(url, allow_private=self.allow_private)
        except ForbiddenAddress as error:
            raise colander.Invalid(node, str(error)) from None
        return url


def new_webhook(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /webhooks."""
    return parameters(
        required("url", _url(settings)),
        required("events", Choices(EVENT_TYPES)),
        optional("node_ids", Ids(MAX_NODES)),
        optional("description", Lines(0, MAX_DESCRIPTION), ""),
        optional("active", Boolean(), True),
    )


def changed_webhook(settings: Any) -> colander.SchemaNode:
    """Return the schema of PUT /webhooks/:id: what is left out stays."""
    return parameters(
        clearable("url", _url(settings)),
        clearable("events", Choices(EVENT_TYPES)),
        clearable("node_ids", Ids(MAX_NODES)),
        clearable("description", Lines(0, MAX_DESCRIPTION)),
        clearable("active", Boolean()),
    )


def _url(settings: Any) -> WebhookUrl:
    return WebhookUrl(allow_private=settings["webhooks.allow_private"])


DELIVERY_LIST = parameters(optional("state", Choice(DeliveryState)), *page_parameters())
REPLAY_FORM = parameters(
    required("since", Moment()),
    optional("until", Moment()),
    optional("all", Boolean(), False),
)
