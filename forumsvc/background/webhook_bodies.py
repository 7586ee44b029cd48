"""The messages of webhooks, made when they are sent: what everybody may see at that time."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from .. import clock
from ..db.execution import ReadConnection
from ..presenters import events as presenter
from ..presenters.site import Site
from ..queries import event_objects
from ..queries import events as reading
from ..settings import Settings
from ..web.api.request import level_names, newbie_duration

_MAX_BYTES = 20_000
_OBJECTS = ("reply", "topic", "user")


class Message(NamedTuple):
    """What is sent: its id, the same in each attempt, and its JSON."""

    id: str
    body: bytes


def site_of(settings: Settings) -> Site:
    """Return the site, for presenters; without `site.url` its URLs are paths."""
    return Site(
        base_url=settings["site.url"] or "",
        level_names=level_names(settings),
        newbie=newbie_duration(settings),
        now=clock.now(),
    )


def messages_of(
    db: ReadConnection, site: Site, deliveries: Sequence[Any]
) -> dict[int, Message | None]:
    """Return the message of each delivery by its id, None where its event is not kept any more."""
    event_ids = [delivery.event_id for delivery in deliveries if delivery.event_id is not None]
    rows = reading.by_ids(db, event_ids)
    objects = event_objects.load(db, list(rows.values()))
    messages: dict[int, Message | None] = {}
    for delivery in deliveries:
        if delivery.event_id is None:
            messages[delivery.id] = _ping(site, delivery)
            continue
        row = rows.get(delivery.event_id)
        if row is None:
            messages[delivery.id] = None
            continue
        document = presenter.event(site, row, objects)
        messages[delivery.id] = Message(presenter.event_id(row.id), _bounded(document))
    return messages


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
