"""The parameters of GET /events."""

from typing import Any

import colander

from ..models import EventType
from .fields import Choice, CursorField, optional, parameters
from .paging import limit


def event_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /events, which goes forward only."""
    return parameters(
        optional("type", Choice(EventType)), limit(), optional("after", CursorField())
    )
