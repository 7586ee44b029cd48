"""The parameters of the endpoints of moderation."""

from typing import Any

import colander

from ..models import AdminAction, EventType
from .fields import Choice, Id, Integer, Line, Lines, Moment, optional, parameters, required
from .paging import page_parameters

MAX_REASON = 500
MAX_NOTE = 2_000
MAX_DAYS = 3_650
MAX_USER = 20


def reason_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of what may be done with a reason."""
    return parameters(optional("reason", Lines(0, MAX_REASON)))


def silence_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /users/:id/silence; `days` and `until` exclude each other."""
    return parameters(
        required("reason", Lines(1, MAX_REASON)),
        optional("days", Integer(1, MAX_DAYS)),
        optional("until", Moment()),
        optional("note", Lines(0, MAX_NOTE), ""),
    )


def warning_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /users/:id/warn."""
    return parameters(
        required("reason", Lines(1, MAX_REASON)),
        optional("note", Lines(0, MAX_NOTE), ""),
        optional("topic_id", Id()),
        optional("reply_id", Id()),
    )


def log_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /moderation/log."""
    return parameters(
        optional("action", Choice([*EventType, *AdminAction])),
        optional("actor", Line(1, MAX_USER)),
        optional("user", Line(1, MAX_USER)),
        optional("topic_id", Id()),
        optional("since", Moment()),
        optional("until", Moment()),
        *page_parameters(),
    )
