"""/search: topics, replies and users, with the operators of the API's search in the words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from markupsafe import Markup

from ..errors import ForumError, Invalid, RateLimited, Unavailable
from ..permissions import SearchPermission as May
from ..queries import users
from ..resources.search import Search
from ..schemas.fields import Choice, optional, parameters
from ..schemas.search import MAX_USERS, TOPIC_SEARCH
from ..schemas.validation import validate_query
from ..web.api.request import ForumRequest
from ..web.search import FoundPosts, find_replies, find_topics, search_connection
from .forms import WHOLE_FORM, Values, form
from .languages import as_sentence
from .lines import Moment, Person
from .page import page
from .page_tree import search_page
from .paths import post_path, with_query


class Kind(StrEnum):
    """What is sought."""

    TOPICS = "topics"
    REPLIES = "replies"
    USERS = "users"


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A topic or reply that was found. title, excerpt: with `<mark>` around the words."""

    path: str
    title: Markup
    excerpt: Markup
    author: Person
    node_name: str | None
    moment: Moment


class Results(NamedTuple):
    """What was found. next: the address of the next page, None on the last one."""

    lines: Sequence[Any]
    next: str | None


_SCHEMA = parameters(*TOPIC_SEARCH.children, optional("kind", Choice(Kind), Kind.TOPICS))
_FIELDS = ("q", "kind")
"""The parameters that have a field in the form."""


@page("search", "/search", search_page, May.SEARCH, "search")
def show_search(context: Search, request: ForumRequest) -> Values:
    """Return the values of the search page: the form, and what was found, if anything is sought."""
    words = request.parameters.get("q")
    kind = str(request.parameters.get("kind") or Kind.TOPICS)
    shown = {"q": words or "", "kind": kind if kind in [*Kind] else Kind.TOPICS}
    others: Values = {"kinds": Kind, "kept": {}, "results": None}
    if not words or not words.strip():
        return form(form_values=shown, **others)
    try:
        request.validated = validate_query(_SCHEMA, request.parameters)
        others["results"] = _SEARCHES[Kind(request.validated["kind"])](context, request)
    except (Invalid, RateLimited, Unavailable) as error:
        return form(form_values=shown, errors=_errors(request, error), **others)
    others["kept"] = _without_fields(request)
    return form(form_values=shown, **others)


def _without_fields(request: ForumRequest) -> dict[str, str]:
    """Return what was asked for and has no field, such as `order`; without `offset`."""
    asked = {node.name: request.parameters.get(node.name) for node in _SCHEMA.children}
    return {
        name: value for name, value in asked.items() if value and name not in (*_FIELDS, "offset")
    }


def _errors(request: ForumRequest, error: ForumError) -> dict[str, str]:
    response = request.response
    if isinstance(error, Invalid):
        response.status_int = 400
        if error.field == "q":
            return {error.field: error.reason}
        # The form has no field for the other parameters: the message names them.
        return {WHOLE_FORM: as_sentence(request, f"'{error.field}'", error.reason)}
    assert isinstance(error, RateLimited | Unavailable)  # noqa: S101
    response.status_int = 429 if isinstance(error, RateLimited) else 503
    response.headers["Retry-After"] = str(error.retry_after)
    return {WHOLE_FORM: error.args[0]}


def _topics(context: Search, request: ForumRequest) -> Results:
    result = find_topics(context, request)
    lines = [
        _line(request, row, row.id, row.node_name, match)
        for row, match in zip(result.rows, result.matches, strict=True)
    ]
    return Results(lines, _next(request, result))


def _replies(context: Search, request: ForumRequest) -> Results:
    result = find_replies(context, request)
    lines = [
        _line(request, row, row.topic_id, None, match)
        for row, match in zip(result.rows, result.matches, strict=True)
    ]
    return Results(lines, _next(request, result))


def _users(context: Search, request: ForumRequest) -> Results:
    request.registry.search_limit.count(request)
    caller_id = request.caller.user_id if request.caller else None
    with search_connection(request) as db:
        result = users.beginning_with(db, request.validated["q"], caller_id, None, MAX_USERS)
    return Results([Person.of(request, row) for row in result], None)


_SEARCHES: dict[Kind, Callable[[Search, ForumRequest], Results]] = {
    Kind.TOPICS: _topics,
    Kind.REPLIES: _replies,
    Kind.USERS: _users,
}


def _line(
    request: ForumRequest, row: Any, topic_id: int, node_name: str | None, match: dict[str, Any]
) -> FoundLine:
    path = post_path(request, topic_id, match["reply_id"])
    # Both are escaped texts with <mark> and no other element.
    title, excerpt = Markup(match["title_html"]), Markup(match["excerpt_html"])  # noqa: S704
    author, moment = Person.of(request, row), Moment.of(request, row.created_at)
    return FoundLine(path, title, excerpt, author, node_name, moment)


def _next(request: ForumRequest, result: FoundPosts) -> str | None:
    if result.next_offset is None:
        return None
    values = request.validated
    asked = {name: values[name] for name in _FIELDS} | _without_fields(request)
    return with_query(request.path, **asked, offset=str(result.next_offset))
