"""How the caller stands to what is shown: `include=state`, and `meta` of the keyed shape."""

from collections.abc import Iterable
from typing import Any

from ...queries.states import Of, State, states
from ..api.request import ForumRequest
from .results import Kind

_OF = {
    Kind.TOPIC: Of.TOPIC,
    Kind.REPLY: Of.REPLY,
    Kind.REPLY_DETAIL: Of.REPLY,
    Kind.USER: Of.USER,
}


def standing(kind: Kind, rows: Iterable[Any], request: ForumRequest) -> list[State]:
    """Return how the caller stands to each of the rows, in one statement, or none for nobody."""
    caller_id = request.caller.user_id if request.caller else None
    ids = [row.user_id if kind == Kind.USER else row.id for row in rows]
    return states(request.db, _OF[kind], caller_id, ids)
