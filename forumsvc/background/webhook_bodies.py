"""The messages of webhooks, made when they are sent: what everybody may see at that time."""

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from ..db.execution import ReadConnection
from ..presenters import events as presenter
from ..presenters.site import Site
from ..queries import event_objects
from ..queries import events as reading
from ..queries.rows import EventRow

log = logging.getLogger(__name__)

_MAX_BYTES = 20_000
_OBJECTS = ("reply", "topic", "user")


class Message(NamedTuple):
    """What is sent: its id, the same in each attempt, and its JSON."""

    id: str
    body: bytes


def messages_of(
    db: ReadConnection, site: Site, deliveries: Sequence[Any]
) -> dict[int, Message | str]:
    """Return the message of each delivery by its id, or the reason why there is none."""
    event_ids = [delivery.event_id for delivery in deliveries if delivery.event_id is not None]
    rows = reading.by_ids(db, event_ids)
    objects = event_objects.load(db, list(rows.values()))
    messages: dict[int, Message | str] = {}
    for delivery in deliveries:
        row = rows.get(delivery.event_id)
        if delivery.event_id is None:
            messages[delivery.id] = _ping(site, delivery)
        elif row is None:
            messages[delivery.id] = "the event is not kept any more"
        else:
            messages[delivery.id] = _message(site, row, objects)
    return messages


def _message(site: Site, row: EventRow, objects: event_objects.EventObjects) -> Message | str:
    try:
        document = presenter.event(site, row, objects)
        return Message(presenter.event_id(row.id), _bounded(document))
    except Exception:
        # A mistake about one event must not stop the others.
        log.exception("the message of event %d cannot be made", row.id)
        return "the message cannot be made; the log says why"


def _ping(site: Site, delivery: Any) -> Message:
    document = presenter.ping(site, delivery.webhook_id)
    return Message(f"ping_{delivery.id}", orjson.dumps(document))


def _bounded(document: dict[str, Any]) -> bytes:
    """Return a document as JSON, without its object if that is too large; its ids stay."""
    body = orjson.dumps(document)
    if len(body) > _MAX_BYTES:
        data = document["data"]
        small = {**data, **{name: None for name in _OBJECTS if name in data}}
        body = orjson.dumps({**document, "data": small})
    return body
