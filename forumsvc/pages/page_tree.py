"""The contexts of the forum's pages: the resources of the API, for whoever is logged in.

So the same ACLs decide who may see a page, who may submit its forms, and which buttons stand there.
"""

from collections.abc import Callable
from typing import Any

from ..errors import Gone, NotFound
from ..permissions import SearchPermission, VersionPermission
from ..queries import topics as topic_queries
from ..resources.audit_log import AuditLog
from ..resources.root import Root
from ..resources.search import Search
from ..security.policy import decide
from ..text.ids import parse_id
from ..web.api.request import ForumRequest
from .page_context import LoginRequired, PageContext, path_after_login

Factory = Callable[[ForumRequest], Any]
"""Makes the context of a page."""

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


def _page(*names: str, needs_login: bool = False) -> Factory:
    """Return the factory of the page of a resource. It raises NotFound, and LoginRequired before.

    names: those on the way to it; one in braces stands for its value in the URL.
    """

    def context(request: ForumRequest) -> Any:
        root = make_page_tree(request)
        if needs_login and request.caller is None:
            raise LoginRequired(path_after_login(request))
        return _child(root, *(name.format_map(request.matchdict) for name in names))

    return context


def for_users(factory: Factory) -> Factory:
    """Return the factory of a page for whoever is logged in. It raises LoginRequired."""

    def context(request: ForumRequest) -> Any:
        result = factory(request)
        if request.caller is None:
            raise LoginRequired(path_after_login(request))
        return result

    return context


def _child(root: Root, *names: str) -> Any:
    result: Any = root
    try:
        for name in names:
            result = result[name]
        return result
    except KeyError:
        raise NotFound("There is nothing here.") from None


topics_page = _page("topics")
node_page = _page("nodes", "{node_id}")
administration_page = _page("nodes", needs_login=True)
site_page = _page("site", needs_login=True)
administered_node_page = _page("nodes", "{node_id}", needs_login=True)
administered_section_page = _page("sections", "{section_id}", needs_login=True)
reply_page = _page("replies", "{reply_id}")
user_page = _page("users", "{login}")
own_page = _page("users", "me", needs_login=True)
drafts_page = _page("drafts", needs_login=True)
draft_page = _page("drafts", "{key}", needs_login=True)
own_photos_page = _page("photos", needs_login=True)
photo_page = _page("photos", "{photo_id}", needs_login=True)
notifications_page = _page("notifications", needs_login=True)
reports_page = _page("reports", needs_login=True)
reviews_page = _page("reviews", needs_login=True)
review_page = _page("reviews", "{review_id}", needs_login=True)
held_posts_page = _page("held", needs_login=True)
held_post_page = _page("held", "{held_id}", needs_login=True)
moderated_user_page = _page("users", "{login}", needs_login=True)


def topic_page(request: ForumRequest) -> Any:
    """Return the context of the page of a topic. Raises NotFound; Gone for a deleted topic."""
    root, topic_id = make_page_tree(request), request.matchdict["topic_id"]
    try:
        return _child(root, "topics", topic_id)
    except NotFound:
        parsed = parse_id(topic_id)
        row = topic_queries.state(root.executor, parsed) if parsed is not None else None
        if row is not None and row.deleted_at is not None:
            raise Gone("This topic is deleted.") from None
        raise


def _versions_page(*names: str) -> Factory:
    """Return the factory of the former texts of a post. It raises LoginRequired, NotFound."""
    find = _page(*names)

    def context(request: ForumRequest) -> Any:
        versions = find(request)
        if request.caller is None and not decide(None, versions, VersionPermission.VIEW):
            raise LoginRequired(path_after_login(request))
        return versions

    return context


topic_versions_page = _versions_page("topics", "{topic_id}", "versions")
reply_versions_page = _versions_page("replies", "{reply_id}", "versions")
topic_version_page = _versions_page("topics", "{topic_id}", "versions", "{number}")
reply_version_page = _versions_page("replies", "{reply_id}", "versions", "{number}")


def log_page(request: ForumRequest) -> AuditLog:
    """Return the context of the log. Raises LoginRequired where it is not public."""
    log: AuditLog = _child(make_page_tree(request), "moderation", "log")
    if request.caller is None and not log.is_public:
        raise LoginRequired(path_after_login(request))
    return log


def search_page(request: ForumRequest) -> Search:
    """Return the context of the search. Raises NotFound where it is off; LoginRequired."""
    search: Search = _child(make_page_tree(request), "search")
    if request.caller is None and not decide(None, search, SearchPermission.SEARCH):
        raise LoginRequired(path_after_login(request))
    return search
