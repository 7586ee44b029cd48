"""The contexts of the forum's pages: the resources of the API, for whoever is logged in.

So the same ACLs decide who may see a page, who may submit its forms, and which buttons stand there.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from ..errors import Gone, NotFound
from ..ids import parse_id
from ..permissions import SearchPermission
from ..queries import topics as topic_queries
from ..resources.audit_log import AuditLog
from ..resources.held_posts import HeldPostItem
from ..resources.nodes import NodeItem
from ..resources.notifications import Notifications
from ..resources.replies import ReplyItem
from ..resources.reports import Reports
from ..resources.reviews import ReviewItem, Reviews
from ..resources.root import Root
from ..resources.search import Search
from ..resources.topics import TopicItem, Topics
from ..resources.users import UserItem
from ..security.policy import decide
from ..web.api.request import ForumRequest
from .page_context import LoginRequired, PageContext, path_after_login

T = TypeVar("T")

_CSP = {
    # Posts have pictures of other sites.
    "img-src": "'self' https:",
    "script-src": "'self'",
    "connect-src": "'self'",
}
"""Of all these pages, because one from the cache, and a 304, must allow what the page allowed."""


def make_page_tree(request: ForumRequest) -> Root:
    """Return the resource tree for a page. Raises RateLimited."""
    PageContext(request).csp_directives.update(_CSP)
    request.registry.request_limits.count(request)
    return Root(request, request.caller, is_write=request.is_write)


def topics_page(request: ForumRequest) -> Topics:
    """Return the context of a page about all topics."""
    return make_page_tree(request).topics


def node_page(request: ForumRequest) -> NodeItem:
    """Return the context of the page of a node. Raises NotFound."""
    return cast("NodeItem", _child(make_page_tree(request), "nodes", request.matchdict["node_id"]))


def _users_tree(request: ForumRequest) -> Root:
    root = make_page_tree(request)
    if request.caller is None:
        raise LoginRequired(path_after_login(request))
    return root


def for_users(factory: Callable[[ForumRequest], T]) -> Callable[[ForumRequest], T]:
    """Return the factory of a page for whoever is logged in. It raises LoginRequired."""

    def context(request: ForumRequest) -> T:
        found = factory(request)
        if request.caller is None:
            raise LoginRequired(path_after_login(request))
        return found

    return context


def topic_page(request: ForumRequest) -> TopicItem:
    """Return the context of the page of a topic. Raises NotFound; Gone for a deleted topic."""
    root, topic_id = make_page_tree(request), request.matchdict["topic_id"]
    try:
        return cast("TopicItem", _child(root, "topics", topic_id))
    except NotFound:
        parsed = parse_id(topic_id)
        row = topic_queries.state(root.executor, parsed) if parsed is not None else None
        if row is not None and row.deleted_at is not None:
            raise Gone("This topic is deleted.") from None
        raise


def reply_page(request: ForumRequest) -> ReplyItem:
    """Return the context of a page about a reply. Raises NotFound."""
    return cast(
        "ReplyItem", _child(make_page_tree(request), "replies", request.matchdict["reply_id"])
    )


def user_page(request: ForumRequest) -> UserItem:
    """Return the context of a page about a user. Raises NotFound."""
    return cast("UserItem", _child(make_page_tree(request), "users", request.matchdict["login"]))


def notifications_page(request: ForumRequest) -> Notifications:
    """Return the context of the page of one's own notifications. Raises LoginRequired."""
    return cast("Notifications", _users_tree(request)["notifications"])


def own_page(request: ForumRequest) -> UserItem:
    """Return one's own user, as the context of a page. Raises LoginRequired."""
    return cast("UserItem", _child(_users_tree(request), "users", "me"))


def reports_page(request: ForumRequest) -> Reports:
    """Return the context of a form that reports something. Raises LoginRequired."""
    return cast("Reports", _child(_users_tree(request), "reports"))


def reviews_page(request: ForumRequest) -> Reviews:
    """Return the context of the queue of moderators. Raises LoginRequired."""
    return cast("Reviews", _child(_users_tree(request), "reviews"))


def review_page(request: ForumRequest) -> ReviewItem:
    """Return the context of the page of a review. Raises LoginRequired, NotFound."""
    root, review_id = _users_tree(request), request.matchdict["review_id"]
    return cast("ReviewItem", _child(root, "reviews", review_id))


def held_post_page(request: ForumRequest) -> HeldPostItem:
    """Return the context of the page of a held post. Raises LoginRequired, NotFound."""
    root, held_id = _users_tree(request), request.matchdict["held_id"]
    return cast("HeldPostItem", _child(root, "held", held_id))


def moderated_user_page(request: ForumRequest) -> UserItem:
    """Return the context of a page that restricts a user. Raises LoginRequired, NotFound."""
    return cast("UserItem", _child(_users_tree(request), "users", request.matchdict["login"]))


def log_page(request: ForumRequest) -> AuditLog:
    """Return the context of the log. Raises LoginRequired where it is not public."""
    log = cast("AuditLog", _child(make_page_tree(request), "moderation", "log"))
    if request.caller is None and not log.is_public:
        raise LoginRequired(path_after_login(request))
    return log


def search_page(request: ForumRequest) -> Search:
    """Return the context of the search. Raises NotFound where it is off; LoginRequired."""
    search = cast("Search", _child(make_page_tree(request), "search"))
    if request.caller is None and not decide(None, search, SearchPermission.SEARCH):
        raise LoginRequired(path_after_login(request))
    return search


def _child(root: Root, *names: str) -> object:
    found: Any = root
    try:
        for name in names:
            found = found[name]
        return found
    except KeyError:
        raise NotFound("There is nothing here.") from None
