"""The parameters of GET /events."""

from ..models import EventType
from .fields import Choice, CursorField, optional, parameters
from .paging import limit

EVENT_LIST = parameters(
    optional("type", Choice(EventType)), limit(), optional("after", CursorField())
)
"""It goes forward only."""
