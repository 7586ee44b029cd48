"""The parameters of the endpoints of held posts."""

from ..models import HeldState
from .fields import Choice, optional, parameters
from .paging import page_parameters

HELD_LIST = parameters(
    optional("state", Choice(HeldState), str(HeldState.WAITING)), *page_parameters()
)
