"""What is new since a page was made, for the script that asks while the page is open."""

from typing import Any

from ...errors import NotFound
from ...permissions import TopicPermission as May
from ...queries import topic_reads
from ...resources.base import Resource
from ...resources.topics import TopicItem
from ...schemas.fields import Id, optional, parameters
from ...web.api.request import ForumRequest
from ..page import page
from ..page_context import is_script
from ..page_tree import for_users, topic_page, topics_page
from .lists import numbers_of_tabs


@page(
    *("news", "/topics/news", for_users(topics_page), May.VIEW_UNREAD, "news"),
    schema=parameters(optional("node_id", Id())),
)
@page(
    *("topic_news", r"/topics/{topic_id:\d+}/news", for_users(topic_page), May.MARK_READ, "news"),
    schema=parameters(optional("after", Id(), 0)),
)
def show_news(context: Resource, request: ForumRequest) -> dict[str, Any]:
    """Return the number of the header, with those of the tabs, or the replies of a topic after one.

    Raises NotFound if no script asks.
    """
    if not is_script(request):
        raise NotFound
    request.response.cache_control = "no-store"
    if not isinstance(context, TopicItem):
        numbers = numbers_of_tabs(request, request.validated["node_id"])
        return {"numbers": numbers, "replies": None}
    after = request.validated["after"]
    replies = topic_reads.replies_after(request.db, request.actor_id, context.row.id, after)
    return {"numbers": {}, "replies": replies}
