"""The parameters of the notification endpoints."""

from ..models import NotificationType
from .fields import Boolean, Id, Integer, optional, parameters, required
from .lists import Choices, Ids
from .paging import page_parameters

MAX_IDS = 1000
_FILTERS = (
    optional("type", Choices(NotificationType, may_be_empty=True)),
    optional("unread", Boolean(), default=False),
    optional("topic_id", Id()),
)
NOTIFICATION_LIST = parameters(*page_parameters(), optional("since", Integer(0)), *_FILTERS)
GROUP_LIST = parameters(*page_parameters(), *_FILTERS)
READ_FORM = parameters(required("ids", Ids(MAX_IDS)))
READ_ALL_FORM = parameters(optional("before", Id()), optional("topic_id", Id()))
