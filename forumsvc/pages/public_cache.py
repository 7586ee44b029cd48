"""Pages for visitors who are not logged in: kept in the page cache, with ETag and 304.

They are valid as long as the answers of the API that show the same: under the same versions
(`web.http_cache.cache_policy`). Whoever is logged in gets a page of their own each time.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from pyramid.response import Response

from ..queries.staff import staff_ids
from ..resources.base import Item
from ..web.api.operations import operation_name
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import CachePolicy, PageKind
from ..web.http_cache.etags import etag_of_versions, if_none_match
from .display import display_of

View = Callable[[Any, ForumRequest], Response]

_ENTRY_BYTES = 1_500
_HITS = re.compile(rb'<span class="hits">\d+</span>')
"""The views of a topic: no version covers them, so they are put into a cached page."""


class CachedPage(NamedTuple):
    """A page in the cache. body: its parts around the hits of the topic."""

    etag: str
    headers: list[tuple[str, str]]
    body: list[bytes]

    def response(self, hits: int) -> Response:
        """Return the page with the current hits."""
        body = (b'<span class="hits">%d</span>' % hits).join(self.body)
        # The response changes its list of headers.
        return Response(headerlist=list(self.headers), body=body)


def public_cache_deriver(view: View, info: Any) -> View:
    """Answer visitors from the page cache, for pages that have a `cache_policy=`."""
    policy: CachePolicy | None = info.options.get("cache_policy")
    renderer = info.options.get("renderer")
    if policy is None or (renderer is not None and renderer.name == "api"):
        return view
    name = f"page {operation_name(info.original_view)}"

    def cached_page(context: Any, request: ForumRequest) -> Response:
        is_topic = policy.page_kind is PageKind.TOPIC
        is_redirect = any(request.validated.get(name) is not None for name in ("reply", "floor"))
        if is_topic and request.method == "GET" and not is_redirect:
            request.registry.view_counter.count(context.row.id)
        if request.caller is not None:
            return view(context, request)
        versions = policy.read_versions(context, request)
        if versions is None:
            return view(context, request)
        # One view shows the lists of several routes.
        route = request.matched_route.name
        display = display_of(request)
        staff = _marked(context, request) if is_topic else ()
        shown_as = (
            request.locale_name,
            display.theme,
            display.lists,
            request.site_texts.tag,
            staff,
        )
        etag = etag_of_versions(request, versions, (name, route, *shown_as))
        if if_none_match(request, etag):
            return _validated(Response(status=304), etag)
        item_id = context.row_id if isinstance(context, Item) else None
        parameters = tuple(request.validated.items())
        key = (name, route, item_id, request.base_url, shown_as, parameters)
        cache = request.page_cache
        cached: CachedPage | None = cache.get(key, versions)
        if cached is None:
            with request.registry.single_flight.lock((key, versions)):
                cached = cache.peek(key, versions)
                if cached is None:
                    response = _validated(view(context, request), etag)
                    if response.status_int == 200:
                        stored = CachedPage(
                            etag, list(response.headerlist), _HITS.split(response.body)
                        )
                        cache.put(key, versions, stored, _ENTRY_BYTES + len(response.body))
                    return response
        return cached.response(_hits(context, request) if is_topic else 0)

    return cached_page


public_cache_deriver.options = ("cache_policy",)  # type: ignore[attr-defined]  # Pyramid's protocol


def _marked(context: Any, request: ForumRequest) -> tuple[int, ...]:
    """Return whom the page of a topic marks as staff: no version changes when a block ends."""
    cache, names_version = request.page_cache, context.row.names_version
    return staff_ids(request.executor, cache, names_version, request.now)


def _hits(context: Any, request: ForumRequest) -> int:
    return int(context.row.hits + request.registry.view_counter.pending_for(context.row.id))


def _validated(response: Response, etag: str) -> Response:
    response.headers["ETag"] = etag
    # It has no secret, so it may be compressed: see `web.pipeline.compression`.
    response.headers["Cache-Control"] = "public, no-cache"
    response.headers["Vary"] = "Cookie, Accept-Language"
    return response
