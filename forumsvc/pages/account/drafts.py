"""What a member has begun to write: to go on with, or to delete."""

from dataclasses import dataclass
from typing import Any

from pyramid.response import Response

from ...errors import NotFound
from ...permissions import DraftPermission, TopicPermission
from ...queries import drafts, topics
from ...queries.rows import DraftRow, TopicListRow
from ...resources.drafts import DraftItem, Drafts
from ...resources.topics import TopicItem
from ...security.policy import decide
from ...services.posts import drafts as draft_service
from ...text.ids import parse_id
from ...web.api.request import ForumRequest
from ..drafts import ShownDraft
from ..flash_messages import flash_message, redirect_with_message, with_message
from ..kept_text import NEW_TOPIC, reply_key
from ..page import page, page_form
from ..page_tree import draft_page, drafts_page
from ..paging import cursor_links, numbered_or_cursor, page_request
from ..paths import see_other
from ..previews import beginning


@dataclass(frozen=True, slots=True)
class DraftLine:
    """A draft in the list. topic: the title of the one that is replied to, if it can be seen.

    excerpt: its beginning; path: of its form, None where it has none that the user may send.
    """

    draft: ShownDraft
    key: str
    topic: str | None
    excerpt: str
    path: str | None


@page(
    "drafts",
    "/settings/drafts",
    drafts_page,
    DraftPermission.VIEW,
    "drafts",
    schema=numbered_or_cursor,
)
def show_drafts(container: Drafts, request: ForumRequest) -> dict[str, Any]:
    """Return the values of a page of the list, the one changed last first."""
    result = drafts.of_user(request.db, request.actor_id, page_request(request))
    ids = {row.key: topic_id for row in result.rows if (topic_id := _topic_id(row.key))}
    found = topics.by_ids(request.db, list(ids.values()))
    replied = {one.id: one for one in container.root.topics.visible_rows(ids.values(), found)}
    return {
        "drafts": [
            _line(container, request, row, replied.get(ids.get(row.key))) for row in result.rows
        ],
        "most": draft_service.MOST,
        "days": draft_service.KEEP.days,
        "flash_message": flash_message(request),
        **cursor_links(request, result.cursors),
    }


@page("draft", "/settings/drafts/{key}", draft_page, DraftPermission.VIEW, "draft")
def show_draft(item: DraftItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of a draft, with its whole text. Raises NotFound."""
    if item.row is None:
        raise NotFound("There is no such draft.")
    draft = ShownDraft.of(request, item.row)
    return {"draft": draft, "flash_message": flash_message(request)}


@page_form(show_draft, permission=DraftPermission.DESTROY)
def delete_shown(item: DraftItem, request: ForumRequest) -> Response:
    """Delete a draft that is as the page has shown it; else show it anew."""
    row = item.for_update(whole_row=True).row
    if row is not None and ShownDraft.of(request, row).seen != request.parameters.get("seen"):
        return with_message(request, "draft-changed", see_other(request.path))
    draft_service.delete(request.db, request.actor_id, item.__name__)
    return redirect_with_message(request, "draft-deleted", "drafts")


def _topic_id(key: str) -> int | None:
    """Return the id of the topic to which a draft of the forum's pages replies."""
    topic_id = parse_id(key.removeprefix(reply_key("")))
    return topic_id if topic_id is not None and key == reply_key(topic_id) else None


def _line(
    container: Drafts, request: ForumRequest, row: DraftRow, topic: TopicListRow | None
) -> DraftLine:
    """topic: the one to which the draft replies, if the caller can see it."""
    caller, topics_of_forum = request.caller, container.root.topics
    path = None
    if row.key == NEW_TOPIC and decide(caller, topics_of_forum, TopicPermission.CREATE):
        path = request.route_path("topic_new")
    elif topic is not None:
        item = TopicItem(topics_of_forum, str(topic.id), topic)
        if decide(caller, item, TopicPermission.REPLY):
            path = request.route_path("topic_reply", topic_id=topic.id)
    title = None if topic is None else topic.title
    excerpt = beginning(row.title or row.body)
    return DraftLine(ShownDraft.of(request, row), row.key, title, excerpt, path)
