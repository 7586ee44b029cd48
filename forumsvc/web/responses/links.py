"""The headers of a list: links to other pages (RFC 8288) and the total count."""

from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode

from ...clock import rfc3339
from ...db.keyset_paging import Cursors
from ...resources.base import Resource
from ..api.request import ForumRequest
from .results import (
    EventListing,
    GroupListing,
    Ids,
    Listing,
    NotificationListing,
    ReplyListing,
    Result,
    SearchListing,
)

PAGE_HEADERS = ("Link", "X-Total-Count", "Replies-Total")
_POSITION_PARAMETERS = frozenset({"offset", "before", "after", "around"})


def page_headers(result: Result, request: ForumRequest) -> dict[str, str]:
    """Return the `Link` of a page, and the number of all rows if that is known."""
    headers: dict[str, str] = {}
    match result:
        case Listing(cursors=cursors, total=total):
            if total is not None:
                headers["X-Total-Count"] = str(total)
        case Ids(cursors=cursors) | EventListing(cursors=cursors):
            pass
        case NotificationListing(page=page) | GroupListing(page=page):
            cursors = page.cursors
        case _:
            cursors = None
    if cursors is not None:
        headers["Link"] = _cursor_links(cursors, request)
    if isinstance(result, ReplyListing):
        headers["Link"] += f', <{_first_page(request)}&before={result.last}>; rel="last"'
        if result.places is not None:
            headers["Replies-Total"] = str(result.places.total)
    if isinstance(result, SearchListing):
        headers["Link"] = _offset_links(result.next_offset, request)
    return headers


def _cursor_links(cursors: Cursors, request: ForumRequest) -> str:
    target = _first_page(request)
    links = [f'<{target}>; rel="first"']
    if cursors.before is not None:
        links.append(f'<{target}&before={cursors.before}>; rel="prev"')
    if cursors.after is not None:
        links.append(f'<{target}&after={cursors.after}>; rel="next"')
    return ", ".join(links)


def _offset_links(next_offset: int | None, request: ForumRequest) -> str:
    target = _first_page(request)
    links = [f'<{target}>; rel="first"']
    if next_offset is not None:
        links.append(f'<{target}&offset={next_offset}>; rel="next"')
    return ", ".join(links)


def _first_page(request: ForumRequest) -> str:
    """Return the absolute URL of the first page, with all validated parameters.

    Nothing else of the request is repeated: it could be an access token, and the response is cached
    for other spellings of the path, too.
    """
    parameters = tuple(
        (name, _written(value))
        for name, value in request.validated.items()
        if value not in (None, False) and name not in _POSITION_PARAMETERS
    )
    return _target(request.base_url, _names(request), parameters)


def _written(value: Any) -> Any:
    """Return a validated value as a client would write it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return rfc3339(value) if isinstance(value, datetime) else value


def _names(request: ForumRequest) -> tuple[str, ...]:
    names = path_names(request.context)
    return (*names, request.view_name) if request.view_name else names


def path_names(resource: Resource) -> tuple[str, ...]:
    """Return the names from the root's child to a resource."""
    names = []
    while resource.__parent__ is not None:
        names.append(resource.__name__)
        resource = resource.__parent__
    return tuple(reversed(names))


def resource_url(base_url: str, names: tuple[str, ...]) -> str:
    """Return the absolute URL of the resource with these names."""
    return f"{base_url}/api/v3/{'/'.join(map(quote, names))}"


@lru_cache(1_000)
def _target(base_url: str, names: tuple[str, ...], parameters: tuple[tuple[str, Any], ...]) -> str:
    return f"{resource_url(base_url, names)}?{urlencode(parameters)}"
