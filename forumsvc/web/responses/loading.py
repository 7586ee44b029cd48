"""The step that loads what the document of a result shows beside it: the last that runs SQL.

That is the caller's relations to what is shown: `include=state`, and `meta` of the keyed envelope.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...queries.viewer_states import Subject, ViewerState, load_viewer_states
from ..api.request import ForumRequest
from .results import Detail, Kind, Listing, Result

_SUBJECTS = {
    Kind.TOPIC: Subject.TOPIC,
    Kind.REPLY: Subject.REPLY,
    Kind.REPLY_DETAIL: Subject.REPLY,
    Kind.USER: Subject.USER,
}


def loading_deriver(view: Any, info: Any) -> Any:
    """Load what the envelope shows beside the result of a view, before it is rendered."""
    if info.options.get("renderer") is None or info.options["renderer"].name != "api":
        return view
    envelope = info.registry.envelope

    def loaded_view(context: Any, request: ForumRequest) -> Any:
        return envelope.load(view(context, request), request)

    return loaded_view


def with_viewer_states(result: Result, request: ForumRequest) -> Result:
    """Return a result with the caller's relations to what it shows, in one SELECT.

    With `include=state` also with the caller's places in topics.

    An anonymous caller has none; this needs no SELECT.
    """
    match result:
        case Listing(kind=kind, rows=rows):
            return replace(result, states=_viewer_states(kind, rows, request))
        case Detail(kind=kind, item=item):
            [state] = _viewer_states(kind, [item.row], request)
            return replace(result, state=state)
    return result


def _viewer_states(kind: Kind, rows: Iterable[Any], request: ForumRequest) -> list[ViewerState]:
    caller_id = request.caller.user_id if request.caller else None
    ids = [row.user_id if kind == Kind.USER else row.id for row in rows]
    return load_viewer_states(
        request.db, _SUBJECTS[kind], caller_id, ids, with_places=request.includes_state
    )
