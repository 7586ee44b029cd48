"""An event as webhooks and `GET /events` show it: what everybody may see, never an email address.

The object of an event is that of its type: `reply.created` has a reply. One that is hidden is shown
as its id alone.
"""

import json
from typing import Any

from ..clock import rfc3339
from ..queries.event_objects import EventObjects
from ..queries.rows import EventRow, UserSummaryRow
from ..services.accounts.login_names import PAGE_NAMES
from .replies import reply
from .site import Site
from .topics import topic
from .users import user

API = "/api/v3"


def event(site: Site, row: EventRow, objects: EventObjects) -> dict[str, Any]:
    """Return the body of a webhook: `type`, `timestamp`, and `data`."""
    data = _data(site, row, objects)
    return {"type": row.type, "timestamp": rfc3339(row.created_at), "data": data}


def ping(site: Site, webhook_id: int) -> dict[str, Any]:
    """Return the body of a test message, which tells of no event."""
    return {"type": "ping", "timestamp": rfc3339(site.now), "data": {"webhook_id": webhook_id}}


def event_id(row_id: int) -> str:
    """Return the public id of an event, the same in each attempt to deliver it."""
    return f"evt_{row_id}"


def listed_event(site: Site, row: EventRow, objects: EventObjects) -> dict[str, Any]:
    """Return an event as `GET /events` shows it: with its id, which webhooks have in a header."""
    return {"id": event_id(row.id), **event(site, row, objects)}


def _data(site: Site, row: EventRow, objects: EventObjects) -> dict[str, Any]:
    data = json.loads(row.data) if row.data else {}
    actor = objects.users.get(row.actor_id) if row.actor_id else None
    return {
        **_object(site, row, objects),
        **data,
        "actor": None if actor is None else user(site, actor),
    }


def _object(site: Site, row: EventRow, objects: EventObjects) -> dict[str, Any]:
    """Return the id, the URL and the object of an event; a photo's are in the event's own data."""
    if row.reply_id is not None:
        its_reply = objects.replies.get(row.reply_id)
        return {
            "id": row.reply_id,
            "topic_id": row.topic_id if its_reply is None else its_reply.topic_id,
            "url": _url(site, f"/replies/{row.reply_id}"),
            "reply": None if its_reply is None else reply(site, its_reply),
        }
    if row.topic_id is not None:
        its_topic = objects.topics.get(row.topic_id)
        return {
            "id": row.topic_id,
            "node_id": row.node_id if its_topic is None else its_topic.node_id,
            "url": _url(site, f"/topics/{row.topic_id}"),
            "topic": None if its_topic is None else topic(site, its_topic),
        }
    if row.user_id is not None:
        its_user = objects.users.get(row.user_id)
        return {
            "id": row.user_id,
            "url": _user_url(site, row.user_id, its_user),
            "user": None if its_user is None else user(site, its_user),
        }
    return {}


def _url(site: Site, path: str) -> str:
    """Return the URL of the page of an object, or of the API where the forum has no pages."""
    return f"{site.base_url}{'' if site.has_pages else API}{path}"


def _user_url(site: Site, user_id: int, its_user: UserSummaryRow | None) -> str:
    """Return the URL of a user's page, or of the API without pages or without such a user."""
    if not site.has_pages or its_user is None:
        return f"{site.base_url}{API}/users/{user_id}"
    login = its_user.user_login
    parent = "/users" if login.lower() in PAGE_NAMES else ""
    return f"{site.base_url}{parent}/{login}"
