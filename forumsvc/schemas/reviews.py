"""The parameters of the endpoints of reviews."""

from typing import Any

import colander

from ..models import Decision, ReviewKind, ReviewState
from ..queries.reviews import ReviewOrder
from .fields import Choice, Id, Integer, Line, Lines, optional, parameters, required
from .paging import page_parameters
from .restrictions import MAX_DAYS, MAX_REASON

MAX_USER = 20


def review_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /reviews."""
    return parameters(
        optional("state", Choice(ReviewState), str(ReviewState.OPEN)),
        optional("kind", Choice(ReviewKind)),
        optional("node_id", Id()),
        optional("user", Line(1, MAX_USER)),
        optional("order", Choice(ReviewOrder), str(ReviewOrder.OLDEST)),
        *page_parameters(),
    )


def resolve_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /reviews/:id/resolve."""
    return parameters(
        required("decision", Choice(Decision)),
        optional("reason", Lines(0, MAX_REASON)),
        optional("silence_days", Integer(1, MAX_DAYS)),
        optional("version", Integer(1, 2**31 - 1)),
    )
