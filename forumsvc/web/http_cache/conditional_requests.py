"""A view deriver for conditional requests, and for pages from the page cache.

It runs after all checks, around the view. One small SELECT reads the versions of all that a page
shows; a page that is cached under these versions is not made again. The versions are read before
the page is made, so a page may be newer than its versions, but never older.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from pyramid.response import Response

from ...permissions import TopicPermission
from ...queries import replies
from ...resources.base import Item
from ...resources.replies import ReplyItem
from ...resources.topics import TopicItem
from ...security.policy import cache_relevant_principals, decide
from ..api.operations import operation_name
from ..api.request import ForumRequest
from ..responses.links import PAGE_HEADERS
from ..responses.results import Detail, Ok
from .cache_policy import REPLY, TOPIC, CachePolicy, CacheScope, PageKind
from .etags import (
    check_if_match,
    etag_of_body,
    etag_of_edit,
    etag_of_versions,
    if_none_match,
    split_at_hits,
)

View = Callable[[Any, ForumRequest], Response]
Versions = tuple[int, ...]
ScopeKey = tuple[int | str | None, ...]

_ENTRY_BYTES = 1_500
"""About what a cached response takes beside its body."""


class CachedResponse(NamedTuple):
    """A response in the page cache. body: its parts around the hits of the topic."""

    etag: str
    headers: list[tuple[str, str]]
    body: list[bytes]

    def response(self, hits: int) -> Response:
        body = (b'"hits":%d' % hits).join(self.body)
        headers = [*self.headers, ("Content-Length", str(len(body)))]
        return Response(headerlist=headers, app_iter=[body])


def http_cache_deriver(view: View, info: Any) -> View:
    """Answer 304 or from the page cache where possible, and 412 where If-Match fails."""
    if info.options.get("renderer") is None or info.options["renderer"].name != "api":
        return view
    if info.options.get("request_method") != "GET":
        return _written_view(view, is_edit=not info.options.get("name"))
    cache_policy: CachePolicy | None = info.options.get("cache_policy")
    if cache_policy is None:
        return _etag_of_body_view(view, shows_item=not info.options.get("name"))
    return _cached_view(view, cache_policy, operation_name(info.original_view))


http_cache_deriver.options = ("cache_policy",)  # type: ignore[attr-defined]  # Pyramid's protocol


def _etag_of_body_view(view: View, *, shows_item: bool) -> View:
    """shows_item: whether the response is the context itself, not a list below it."""

    def etag_of_body_view(context: Any, request: ForumRequest) -> Response:
        response = view(context, request)
        etag = etag_of_body(
            request,
            response.body,
            headers=_paging_headers(response),
            item=context if shows_item and isinstance(context, Item) else None,
        )
        if if_none_match(request, etag):
            return _not_modified(request, etag)
        return _with_etag(response, request, etag)

    return etag_of_body_view


def _paging_headers(response: Response) -> str:
    return "".join(response.headers.get(name, "") for name in PAGE_HEADERS)


def _cached_view(view: View, cache_policy: CachePolicy, name: str) -> View:
    uncached_view = _etag_of_body_view(view, shows_item=cache_policy in _ITEM_POLICIES.values())

    def rendered(
        versions: Versions, scope_key: ScopeKey, context: Any, request: ForumRequest
    ) -> Response:
        if cache_policy.has_etag_of_body:
            return uncached_view(context, request)
        return _rendered(view, cache_policy, versions, scope_key, context, request)

    def cached_view(context: Any, request: ForumRequest) -> Response:
        is_topic = cache_policy.page_kind is PageKind.TOPIC
        if is_topic and request.method == "GET":
            request.registry.view_counter.count(context.row.id)
            _mark_read_on_open(context, request)
        scope = request.registry.envelope.cache_scope(cache_policy.page_kind, request)
        versions = _versions(cache_policy, scope, context, request)
        if versions is None:
            return uncached_view(context, request)
        scope_key = _cache_scope_key(scope, context, request)
        if not _is_shareable(cache_policy, scope, context, request):
            return rendered(versions, scope_key, context, request)
        hits = _hits(context, request) if is_topic else 0
        key = (name, scope_key, *_request_key(context, request))
        cached: CachedResponse | None = request.page_cache.get(key, versions)
        if cached is None:
            # After a change many requests need the same page at once: only one makes it.
            with request.registry.single_flight.lock((key, versions)):
                cached = request.page_cache.peek(key, versions)
                if cached is None:
                    response = rendered(versions, scope_key, context, request)
                    _store(request, key, versions, response)
                    return response
        if if_none_match(request, cached.etag):
            return _not_modified(request, cached.etag)
        return cached.response(hits)

    return cached_view


def _mark_read_on_open(item: TopicItem, request: ForumRequest) -> None:
    """Mark a topic as read by the caller, behind the request, where the setting says so."""
    setting = request.settings["notifications.read_on_open"]
    if setting == "off" or (setting == "keyed" and request.settings["api.envelope"] != "keyed"):
        return
    caller = request.caller
    if caller is not None and caller.user_id and decide(caller, item, TopicPermission.MARK_READ):
        # Not a time: a reply that is being written has an earlier one than some that are there.
        last_reply_id = replies.last_of(request.db, item.row.id) or 0
        request.registry.read_marker.opened_whole(caller.user_id, item.row.id, last_reply_id)


def _versions(
    cache_policy: CachePolicy, scope: CacheScope, context: Any, request: ForumRequest
) -> Versions | None:
    if scope is CacheScope.UNCACHEABLE:
        return None
    return cache_policy.read_versions(context, request)


def _rendered(
    view: View,
    cache_policy: CachePolicy,
    versions: Versions,
    scope_key: ScopeKey,
    context: Any,
    request: ForumRequest,
) -> Response:
    item = context if cache_policy in _ITEM_POLICIES.values() else None
    etag = etag_of_versions(request, versions, scope_key, item)
    if if_none_match(request, etag):
        return _not_modified(request, etag)
    return _with_etag(view(context, request), request, etag)


def _request_key(context: Any, request: ForumRequest) -> tuple[Any, ...]:
    item_id = context.row_id if isinstance(context, Item) else None
    parameters = tuple(
        (name, tuple(value) if isinstance(value, list) else value)
        for name, value in request.validated.items()
    )
    return (item_id, request.caller is None, request.base_url, parameters)


def _store(
    request: ForumRequest, key: tuple[Any, ...], versions: Versions, response: Response
) -> None:
    if response.status_int != 200:
        return
    headers = [header for header in response.headerlist if header[0] != "Content-Length"]
    cached = CachedResponse(response.headers["ETag"], headers, split_at_hits(response.body))
    request.page_cache.put(key, versions, cached, _ENTRY_BYTES + len(response.body))


def _cache_scope_key(scope: CacheScope, context: Any, request: ForumRequest) -> ScopeKey:
    """Return what is equal for callers who get the same page under the same versions."""
    caller = request.caller
    if caller is None or scope is CacheScope.PUBLIC:
        return ()
    if scope is CacheScope.PER_ABILITIES:
        return cache_relevant_principals(caller, context)
    return (caller.user_id, caller.level, *sorted(caller.scopes))


def _is_shareable(
    cache_policy: CachePolicy, scope: CacheScope, context: Any, request: ForumRequest
) -> bool:
    """Return whether the page is worth a place in the cache: it will be asked for again."""
    if not request.page_cache.max_bytes or (isinstance(context, Item) and context.is_hidden):
        return False
    if scope is CacheScope.PER_USER and not cache_policy.is_polled:
        return False
    return bool(request.registry.envelope.is_cacheable(cache_policy.page_kind))


def _hits(context: Any, request: ForumRequest) -> int:
    return int(context.row.hits + request.registry.view_counter.pending_for(context.row.id))


def _not_modified(request: ForumRequest, etag: str) -> Response:
    return _with_etag(Response(status=304), request, etag)


def _with_etag(response: Response, request: ForumRequest, etag: str) -> Response:
    headers = response.headers
    headers["ETag"] = etag
    headers["Cache-Control"] = "no-cache" if request.caller is None else "private, no-cache"
    headers["Vary"] = "Authorization"
    return response


_ITEM_POLICIES: dict[type[Item], CachePolicy] = {TopicItem: TOPIC, ReplyItem: REPLY}
"""Of the items whose GET has a cache policy."""


def _written_view(view: View, *, is_edit: bool) -> View:
    """Check If-Match before a write, and add the new ETag to its response.

    is_edit: whether it changes the context itself, not something below it.
    """

    def written_view(context: Any, request: ForumRequest) -> Response:
        if is_edit and isinstance(context, Item):
            check_if_match(request, context)
        response = view(context, request)
        etag = _etag_of_written(request, response)
        if etag is not None:
            response.headers["ETag"] = etag
        return response

    return written_view


def _etag_of_written(request: ForumRequest, response: Response) -> str | None:
    """Return the ETag of the item that a write has changed; None if it has none.

    Where the response shows the item, it is the one that a GET would have now.
    """
    match request.result:
        case Ok(item=Item() as item):
            return etag_of_edit(item)
        case Detail(item=item) if item.edit_version() is not None:
            cache_policy = _ITEM_POLICIES.get(type(item))
            if cache_policy is not None:
                scope = request.registry.envelope.cache_scope(cache_policy.page_kind, request)
                versions = _versions(cache_policy, scope, item, request)
                if versions is not None:
                    scope_key = _cache_scope_key(scope, item, request)
                    return etag_of_versions(request, versions, scope_key, item)
            return etag_of_body(request, response.body, item=item)
    return None
