"""What API and pages share of whose texts a caller is shown, and of which posts."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..permissions import Common
from ..queries.rows import ReplyDetailRow, TopicListRow
from ..queries.viewer_states import Subject, load_viewer_states
from ..resources.replies import ReplyItem
from ..resources.root import Root
from ..resources.topics import TopicItem
from ..security.policy import granted
from .api.request import ForumRequest


class VisibleTexts(NamedTuple):
    """The ids of the topics and replies whose texts are shown."""

    topics: frozenset[int]
    replies: frozenset[int]


def visible_texts(
    request: ForumRequest,
    root: Root,
    topics: Iterable[TopicListRow],
    replies: Iterable[ReplyDetailRow],
    *,
    blocked: Collection[int] | None = None,
) -> VisibleTexts:
    """Return of which posts that notify the caller the texts are shown.

    Not of deleted ones, of those that the caller may not see, and of authors whom they block.
    blocked: these, by their ids, if they are known.
    """
    caller = request.caller
    items: list[TopicItem | ReplyItem] = [
        *(TopicItem(root.topics, str(row.id), row) for row in topics),
        *(ReplyItem(root.replies, str(row.id), row) for row in replies),
    ]
    if blocked is None:
        blocked = blocked_authors(request, [item.row.user_id for item in items])
    visible = [
        item
        for item in items
        if item.row.deleted_at is None
        and item.row.user_id not in blocked
        and (not item.is_hidden or granted(caller, item, Common.VIEW))
    ]
    return VisibleTexts(
        frozenset(item.row.id for item in visible if isinstance(item, TopicItem)),
        frozenset(item.row.id for item in visible if isinstance(item, ReplyItem)),
    )


def blocked_authors(request: ForumRequest, user_ids: Iterable[int]) -> set[int]:
    """Return whom of these users the caller blocks."""
    if request.caller is None or not request.caller.blocks:
        return set()
    ids = sorted({*user_ids})
    states = load_viewer_states(request.db, Subject.USER, request.caller.user_id, ids)
    return {user_id for user_id, state in zip(ids, states, strict=True) if state["blocked"]}
