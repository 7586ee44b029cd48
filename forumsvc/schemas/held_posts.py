"""The parameters of the endpoints of held posts."""

from typing import Any

import colander

from ..models import HeldState
from .fields import Choice, optional, parameters
from .paging import page_parameters


def held_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /held."""
    waiting = str(HeldState.WAITING)
    return parameters(optional("state", Choice(HeldState), waiting), *page_parameters())
