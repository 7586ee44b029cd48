"""The parameters of the log."""

from ..models import AdminAction, EventType
from .fields import Choice, Id, Line, Moment, optional, parameters
from .paging import page_parameters
from .reviews import MAX_USER

LOG_LIST = parameters(
    optional("action", Choice([*EventType, *AdminAction])),
    optional("actor", Line(1, MAX_USER)),
    optional("user", Line(1, MAX_USER)),
    optional("topic_id", Id()),
    optional("since", Moment()),
    optional("until", Moment()),
    *page_parameters(),
)
