"""Where a reply stands: its page and its anchor in the topic."""

from pyramid.response import Response

from ...permissions import Common
from ...queries import replies
from ...resources.replies import ReplyItem
from ...resources.topics import TopicItem
from ...web.api.request import ForumRequest
from ..page import page
from ..page_tree import reply_page, topic_page
from ..paths import see_other, topic_path, with_query
from ..post_html import page_of_floor


def reply_path(request: ForumRequest, reply_id: int) -> str:
    """Return the address of a reply in its topic, also of a deleted one."""
    place = replies.place_of(request.db, reply_id)
    page = page_of_floor(place.floor)
    path = request.route_path("topic", topic_id=place.topic_id)
    return f"{with_query(path, page=str(page) if page > 1 else None)}#reply-{reply_id}"


@page("reply", r"/replies/{reply_id:\d+}", reply_page, Common.VIEW)
def go_to_reply(item: ReplyItem, request: ForumRequest) -> Response:
    """Redirect to the place of a reply."""
    return see_other(reply_path(request, item.row.id))


@page("last_reply", r"/topics/{topic_id:\d+}/last", topic_page, Common.VIEW)
def go_to_last(item: TopicItem, request: ForumRequest) -> Response:
    """Redirect to the last reply of a topic, or to the topic where there is none."""
    last = replies.last_of(request.db, item.row.id)
    return see_other(
        topic_path(request, item.row.id) if last is None else reply_path(request, last)
    )
