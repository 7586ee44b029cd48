"""The parameters of the endpoints of reviews."""

from ..models import Decision, ReviewKind, ReviewState
from ..queries.reviews import ReviewOrder
from .fields import Choice, Id, Integer, Line, Lines, optional, parameters, required
from .paging import page_parameters
from .restrictions import MAX_DAYS, MAX_REASON

MAX_USER = 20

REVIEW_LIST = parameters(
    optional("state", Choice(ReviewState), str(ReviewState.OPEN)),
    optional("kind", Choice(ReviewKind)),
    optional("node_id", Id()),
    optional("user", Line(1, MAX_USER)),
    optional("order", Choice(ReviewOrder), str(ReviewOrder.OLDEST)),
    *page_parameters(),
)

RESOLVE_FORM = parameters(
    required("decision", Choice(Decision)),
    optional("reason", Lines(0, MAX_REASON)),
    optional("silence_days", Integer(1, MAX_DAYS)),
    optional("version", Integer(1, 2**31 - 1)),
)
