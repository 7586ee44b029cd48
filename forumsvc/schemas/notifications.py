"""The parameters of the notification endpoints."""

from .fields import Integer, optional, parameters, required
from .lists import Ids
from .paging import page_parameters

MAX_IDS = 1000
NOTIFICATION_LIST = parameters(*page_parameters(), optional("since", Integer(0)))
READ_FORM = parameters(required("ids", Ids(MAX_IDS)))
