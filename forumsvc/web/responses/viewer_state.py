"""The caller's relations to what is shown: `include=state`, and `meta` of the keyed envelope."""

from collections.abc import Iterable
from typing import Any

from ...queries.viewer_states import Subject, ViewerState, load_viewer_states
from ..api.request import ForumRequest
from .results import Kind

_SUBJECTS = {
    Kind.TOPIC: Subject.TOPIC,
    Kind.REPLY: Subject.REPLY,
    Kind.REPLY_DETAIL: Subject.REPLY,
    Kind.USER: Subject.USER,
}


def viewer_states(kind: Kind, rows: Iterable[Any], request: ForumRequest) -> list[ViewerState]:
    """Return the caller's relations to each row, in one SELECT; none for an anonymous caller."""
    caller_id = request.caller.user_id if request.caller else None
    ids = [row.user_id if kind == Kind.USER else row.id for row in rows]
    return load_viewer_states(request.db, _SUBJECTS[kind], caller_id, ids)
