"""The search endpoints."""

from ..errors import NotFound
from ..permissions import SearchPermission as May
from ..presenters.search import understood
from ..queries import users
from ..resources.search import Search
from ..schemas.including import with_include
from ..schemas.search import REPLY_SEARCH, TOPIC_SEARCH, USER_SEARCH
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Kind, Listing, SearchListing
from ..web.search import FoundPosts, find_replies, find_topics, search_connection


@api_view(Search, "GET", May.SEARCH, name="topics", schema=with_include(TOPIC_SEARCH))
def search_topics(container: Search, request: ForumRequest) -> SearchListing:
    """Search topics, by their own text and that of their replies."""
    return _listing(Kind.TOPIC, "topics", find_topics(container, request))


@api_view(Search, "GET", May.SEARCH, name="replies", schema=with_include(REPLY_SEARCH))
def search_replies(container: Search, request: ForumRequest) -> SearchListing:
    """List the replies that have the words, each by itself."""
    return _listing(Kind.REPLY_DETAIL, "replies", find_replies(container, request))


@api_view(Search, "GET", May.SEARCH, name="users", schema=USER_SEARCH)
def search_users(container: Search, request: ForumRequest) -> Listing:
    """Find users by the beginning of their login or name."""
    request.registry.search_limit.count(request)
    values = request.validated
    topic_id = values["topic_id"]
    if topic_id is not None:
        try:
            container.root.topics[str(topic_id)]
        except KeyError:
            raise NotFound("topic_id: there is no such topic.", "topic_id") from None
    caller_id = request.caller.user_id if request.caller else None
    with search_connection(request) as db:
        result = users.beginning_with(db, values["q"], caller_id, topic_id, values["limit"])
    return Listing(Kind.USER, "users", result)


def _listing(kind: Kind, name: str, result: FoundPosts) -> SearchListing:
    query = understood(result.search)
    return SearchListing(
        kind,
        name,
        result.rows,
        matches=result.matches,
        query=query,
        next_offset=result.next_offset,
    )
