"""What the search of the API and that of the pages share: what is sought, found, and its limits."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Connection

from ..db.limited_reads import ReadTimeout, TooManyReads
from ..errors import Invalid, NotFound, Unavailable
from ..permissions import SearchPermission as May
from ..presenters.search import match
from ..queries import nodes, replies, search_documents, topics, users
from ..queries import search as searching
from ..queries.search import Post, Search
from ..resources.search import Search as SearchResource
from ..schemas.fields import quoted
from ..search.excerpts import Excerpts
from ..search.matching import WordMatcher
from ..search.query import Order, State, Where, parse_query, wrong_operator
from ..text.messages import Clause, Message
from .api.granting import require
from .api.request import ForumRequest

_RETRY_SECONDS = 5


class FoundPosts(NamedTuple):
    """Posts as the search found them. matches: how each was found (`presenters.search.match`);
    search: what was sought; next_offset: where the next results begin, None if there are no more.
    """

    rows: list[Any]
    matches: list[dict[str, Any]]
    search: Search
    next_offset: int | None


def find_topics(container: SearchResource, request: ForumRequest) -> FoundPosts:
    """Search topics, by their own text and that of their replies; as `_requested` raises."""
    search = _requested(container, request)
    with search_connection(request) as db:
        posts, has_more = searching.find_topics(db, search, request.now, *_part(request))
        rows_by_id = topics.by_ids(db, [post.found.topic_id for post in posts])
        rows = [rows_by_id[post.found.topic_id] for post in posts]
        matches = _matches(posts, [row.title for row in rows], search)
    return FoundPosts(rows, matches, search, sum(_part(request)) if has_more else None)


def find_replies(container: SearchResource, request: ForumRequest) -> FoundPosts:
    """Find the replies that have the words, each by itself; as `_requested` raises."""
    search = replace(_requested(container, request), where=Where.REPLIES)
    with search_connection(request) as db:
        posts, has_more = searching.find_replies(db, search, request.now, *_part(request))
        rows_by_id = replies.details_by_ids(db, [post.found.reply_id or 0 for post in posts])
        rows = [rows_by_id[post.found.reply_id or 0] for post in posts]
        matches = _matches(posts, [row.topic_title for row in rows], search)
    return FoundPosts(rows, matches, search, sum(_part(request)) if has_more else None)


def _requested(container: SearchResource, request: ForumRequest) -> Search:
    """Return what the request asks for: an operator in `q` counts, not the same parameter.

    Raises Invalid, NotFound, Forbidden, Unavailable, RateLimited.
    """
    values = request.validated
    if values["include_hidden"]:
        require(request, container, May.SEARCH_HIDDEN, "include_hidden", _STAFF_ONLY)
    request.registry.search_limit.count(request)
    query = parse_query(values["q"])
    if not search_documents.is_complete(request.executor):
        raise Unavailable("The posts are being indexed for the search. Try again later.")
    query = replace(
        query,
        since=query.since or values["since"],
        until=query.until or values["until"],
        states=query.states or (() if values.get("is") is None else (State(values["is"]),)),
    )
    caller = request.caller
    return Search(
        query,
        node_id=_node_id(request, query.node),
        user_id=_user_id(request, query.by),
        where=query.where or Where(values.get("in") or Where.ALL),
        order=query.order or Order(values["order"] or Order.RELEVANCE),
        viewer_id=caller.user_id if caller and caller.blocks else None,
        hidden=values["include_hidden"],
    )


_STAFF_ONLY = "only maintainers and admins may see what is hidden."


def _node_id(request: ForumRequest, operator: str | None) -> int | None:
    """Return the node that is sought. Raises Invalid for an operator, NotFound for `node_id`."""
    if operator is not None:
        found_id = nodes.id_of(request.executor, operator)
        if found_id is None:
            raise wrong_operator(Clause("there is no node %(name)s", name=quoted(operator)))
        return found_id
    node_id: int | None = request.validated["node_id"]
    if node_id is not None and not nodes.exists(request.executor, node_id):
        raise NotFound("node_id: there is no such node.", "node_id")
    return node_id


def _user_id(request: ForumRequest, operator: str | None) -> int | None:
    """Return the user whose posts are sought. Raises Invalid."""
    name = request.validated["by"] if operator is None else operator
    if name is None:
        return None
    found_id = users.id_of(request.executor, name.removeprefix("@"))
    if found_id is None:
        reason = Clause("there is no user %(name)s", name=quoted(name))
        raise Invalid("by", reason) if operator is None else wrong_operator(reason)
    return found_id


@contextmanager
def search_connection(request: ForumRequest) -> Iterator[Connection]:
    """Return a connection for a search. Raises Unavailable."""
    try:
        with request.registry.search_reads.connect() as db:
            yield db
    except TooManyReads:
        message = Message("Too many searches are running. Try again.")
        raise Unavailable(message, _RETRY_SECONDS) from None
    except ReadTimeout:
        message = Message("The search took too long. Try again, or with other words.")
        raise Unavailable(message, _RETRY_SECONDS) from None


def _part(request: ForumRequest) -> tuple[int, int]:
    return request.validated["offset"], request.validated["limit"]


def _matches(posts: list[Post], titles: list[str], search: Search) -> list[Any]:
    """Return how each post was found."""
    matcher = WordMatcher(search.query.words)
    excerpts = Excerpts(matcher)
    return [
        match(post, title, matcher, excerpts) for post, title in zip(posts, titles, strict=True)
    ]
