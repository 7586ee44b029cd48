"""The parameters of the log."""

from typing import Any

import colander

from ..models import AdminAction, EventType
from .fields import Choice, Id, Line, Moment, optional, parameters
from .paging import page_parameters
from .reviews import MAX_USER


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
