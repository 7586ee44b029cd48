"""Who likes a topic or a reply."""

from typing import Any

from ...permissions import Common
from ...queries import users
from ...resources.replies import ReplyItem
from ...resources.topics import TopicItem
from ...web.api.request import ForumRequest
from ..lines import Person
from ..page import page
from ..page_tree import reply_page, topic_page
from ..paging import cursor_links, numbered_or_cursor, page_request
from ..paths import topic_path


@page(
    "topic_likes",
    r"/topics/{topic_id:\d+}/likes",
    topic_page,
    Common.VIEW,
    "likes",
    schema=numbered_or_cursor,
)
def show_topic_likers(item: TopicItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of those who like a topic."""
    found = users.likers_of_topic(request.db, item.row.id, page_request(request))
    return _values(request, found, topic_path(request, item.row.id))


@page(
    "reply_likes",
    r"/replies/{reply_id:\d+}/likes",
    reply_page,
    Common.VIEW,
    "likes",
    schema=numbered_or_cursor,
)
def show_reply_likers(item: ReplyItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of those who like a reply."""
    found = users.likers_of_reply(request.db, item.row.id, page_request(request))
    return _values(request, found, request.route_path("reply", reply_id=item.row.id))


def _values(request: ForumRequest, found: Any, path: str) -> dict[str, Any]:
    people = [Person.of(request, row) for row in found.rows]
    return {"people": people, "path": path, **cursor_links(request, found.cursors)}
