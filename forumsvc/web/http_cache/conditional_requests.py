"""Answers that are true still: a client that has one is told so, others get it from memory.

Runs when everything is checked, in the view's place. One small SELECT tells the mark of all that
an answer shows; an answer under that mark is not made again. The mark is read before the answer is
made, so an answer may be newer than its mark, but never older.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import orjson
from pyramid.response import Response

from ...resources.base import Item
from ...resources.replies import ReplyItem
from ...resources.topics import TopicItem
from ...security.policy import cache_relevant_principals
from ..api.operations import operation_name
from ..api.request import ForumRequest
from ..responses.links import PAGE_HEADERS
from ..responses.results import Detail, Kind
from .cache_policy import REPLY, TOPIC, Audience, Mark, Shown
from .etags import is_known, is_wanted, require, tag_of_body, tag_of_marks, without_hits

View = Callable[[Any, ForumRequest], Response]
Marks = tuple[int | str | None, ...]

_PAGE_SIZE = 1_500
"""About what a page takes beside its body, in bytes."""


class Page(NamedTuple):
    """An answer as it is kept. body: the parts around how often a topic was read."""

    tag: str
    headers: list[tuple[str, str]]
    body: list[bytes]

    def response(self, hits: int) -> Response:
        """Return the answer, with the number of reads as it is now."""
        body = (b'"hits":%d' % hits).join(self.body)
        headers = [*self.headers, ("Content-Length", str(len(body)))]
        return Response(headerlist=headers, app_iter=[body])


def fresh_deriver(view: View, info: Any) -> View:
    """Answer from what is known where it is true still; keep others from changing what is not."""
    if info.options.get("renderer") is None or info.options["renderer"].name != "api":
        return view
    if info.options.get("request_method") != "GET":
        return _guarded(view, info)
    mark: Mark | None = info.options.get("mark")
    if mark is None:
        return _conditional(view)
    return _marked(view, mark, operation_name(info.original_view))


fresh_deriver.options = ("mark",)  # type: ignore[attr-defined]  # Pyramid's protocol


def _conditional(view: View) -> View:
    def conditional(context: Any, request: ForumRequest) -> Response:
        response = view(context, request)
        tag = tag_of_body(request, response.body, beside=_beside(response))
        if is_known(request, tag):
            return _not_modified(request, tag)
        return _tagged(response, request, tag)

    return conditional


def _beside(response: Response) -> str:
    """Return what an answer tells outside its body: where a list goes on, how many there are."""
    return "".join(response.headers.get(name, "") for name in PAGE_HEADERS)


def _marked(view: View, mark: Mark, name: str) -> View:
    by_itself = _conditional(view)

    def marked(context: Any, request: ForumRequest) -> Response:
        is_topic = mark.shown is Shown.TOPIC
        if is_topic and request.method == "GET":
            request.registry.view_counter.count(context.row.id)
        audience = request.registry.envelope.cache_scope(mark.shown, request)
        marks = None if audience is Audience.NOBODY_ELSE else mark.read(context, request)
        if marks is None:
            return by_itself(context, request)
        whose = _whose(audience, context, request)
        if not _is_common(mark, audience, context, request):
            return _made(view, marks, whose, context, request)
        hits = _hits(context, request) if is_topic else 0
        key = (name, whose, *_wanted(context, request))
        page: Page | None = request.page_cache.get(key, marks)
        if page is None:
            # After a change many ask for the same page at once: one of them makes it.
            with request.registry.single_flight.turn((key, marks)):
                page = request.page_cache.peek(key, marks)
                if page is None:
                    response = _made(view, marks, whose, context, request)
                    _keep(request, key, marks, response)
                    return response
        if is_known(request, page.tag):
            return _not_modified(request, page.tag)
        return page.response(hits)

    return marked


def _made(view: View, marks: Marks, whose: Marks, context: Any, request: ForumRequest) -> Response:
    tag = tag_of_marks(request, marks, whose)
    if is_known(request, tag):
        return _not_modified(request, tag)
    return _tagged(view(context, request), request, tag)


def _wanted(context: Any, request: ForumRequest) -> tuple[Any, ...]:
    item_id = context.row_id if isinstance(context, Item) else None
    parameters = tuple(request.validated.items())
    return (item_id, request.caller is None, request.base_url, parameters)


def _keep(request: ForumRequest, key: tuple[Any, ...], marks: Marks, response: Response) -> None:
    if response.status_int != 200:
        return
    headers = [each for each in response.headerlist if each[0] != "Content-Length"]
    page = Page(response.headers["ETag"], headers, without_hits(response.body))
    request.page_cache.put(key, marks, page, _PAGE_SIZE + len(response.body))


def _whose(audience: Audience, context: Any, request: ForumRequest) -> Marks:
    """Return what of the caller tells answers under the same marks apart."""
    caller = request.caller
    if caller is None or audience is Audience.EVERYBODY:
        return ()
    if audience is Audience.SAME_RIGHTS:
        return cache_relevant_principals(caller, context)
    return (caller.user_id, caller.level, *sorted(caller.scopes))


def _is_common(mark: Mark, audience: Audience, context: Any, request: ForumRequest) -> bool:
    """Return whether the answer is worth keeping: others will get the same."""
    if not request.page_cache.size or (isinstance(context, Item) and context.is_hidden):
        return False
    return audience is not Audience.SAME_CALLER and bool(
        request.registry.envelope.is_cacheable(mark.shown)
    )


def _hits(context: Any, request: ForumRequest) -> int:
    return int(context.row.hits + request.registry.view_counter.pending_for(context.row.id))


def _not_modified(request: ForumRequest, tag: str) -> Response:
    return _tagged(Response(status=304), request, tag)


def _tagged(response: Response, request: ForumRequest, tag: str) -> Response:
    headers = response.headers
    headers["ETag"] = tag
    headers["Cache-Control"] = "no-cache" if request.caller is None else "private, no-cache"
    headers["Vary"] = "Authorization"
    return response


_EDITED: dict[type[Item], tuple[Mark, Kind]] = {
    TopicItem: (TOPIC, Kind.TOPIC),
    ReplyItem: (REPLY, Kind.REPLY),
}


def _guarded(view: View, info: Any) -> View:
    """Let a change with If-Match happen only to what the client has read."""
    edited = _EDITED.get(info.options.get("context"))
    if edited is None or info.options.get("name"):
        return view
    mark, kind = edited

    def guarded(context: Any, request: ForumRequest) -> Response:
        if "HTTP_IF_MATCH" in request.environ:
            tag = _tag_of(context, kind, mark, request)
            if not is_wanted(request, tag):
                require(request, _tag_with_state(context, kind, mark, request))
        return view(context, request)

    return guarded


def _tag_with_state(item: Item, kind: Kind, mark: Mark, request: ForumRequest) -> str:
    """Return the tag that a GET of the item with `include=state` would answer with now."""
    request.includes_state = True
    try:
        return _tag_of(item, kind, mark, request)
    finally:
        request.includes_state = False


def _tag_of(item: Item, kind: Kind, mark: Mark, request: ForumRequest) -> str:
    """Return the tag that a GET of the item would answer with now."""
    audience = request.registry.envelope.cache_scope(mark.shown, request)
    marks = None if audience is Audience.NOBODY_ELSE else mark.read(item, request)
    if marks is not None:
        return tag_of_marks(request, marks, _whose(audience, item, request))
    body = orjson.dumps(request.registry.envelope.body(Detail(kind, item), request))
    return tag_of_body(request, body)
