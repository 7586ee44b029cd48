"""Pages of lists: by number, or by the cursors that stay right while the list changes."""

from typing import Any

import colander

from ..db.keyset_paging import Cursors, PageRequest
from ..schemas.fields import CursorField, Id, Integer, optional, parameters
from ..text.ids import MAX_ID
from ..web.api.request import ForumRequest

ROWS = 20
"""How many rows a page of a list has."""
_MAX_PAGE = 1_000_000
_NEARBY = 3


def numbered(settings: Any) -> colander.SchemaNode:
    """Return the schema of a topic, whose pages have numbers.

    from: the first row with its text; reply, floor: the reply to whose page the request leads, by
    its id or by its number in the topic.
    """
    place = Integer(1, MAX_ID)
    return parameters(
        *(_number(), optional("from", place, 1)), optional("reply", Id()), optional("floor", place)
    )


def numbered_or_cursor(settings: Any) -> colander.SchemaNode:
    """Return the schema of a list whose links have cursors, and addresses of old a number."""
    return parameters(
        _number(), optional("before", CursorField()), optional("after", CursorField())
    )


def _number() -> colander.SchemaNode:
    return optional("page", Integer(1, _MAX_PAGE), 1)


def page_request(request: ForumRequest, rows: int = ROWS) -> PageRequest:
    """Return the part of a list that a request wants. Raises Invalid."""
    values = request.validated
    before, after = values.get("before"), values.get("after")
    is_by_cursor = before is not None or after is not None
    offset = 0 if is_by_cursor else (values["page"] - 1) * rows
    return PageRequest(offset, rows, before, after)


def cursor_links(
    request: ForumRequest, cursors: Cursors, query: str = "", path: str | None = None
) -> dict[str, str | None]:
    """Return the addresses of the pages before and after, by "newer" and "older".

    query: further parameters of the addresses, each with `&` before it; path: of the
    list, None: that of the request.
    """
    path = request.path if path is None else path

    def link(name: str, cursor: Any) -> str | None:
        return None if cursor is None else f"{path}?{name}={cursor}{query}"

    return {"newer": link("before", cursors.before), "older": link("after", cursors.after)}


def cursor_query(request: ForumRequest) -> str:
    """Return the query of this page of a list; empty for the first."""
    for name in ("before", "after"):
        if (cursor := request.validated.get(name)) is not None:
            return f"?{name}={cursor}"
    return ""


def page_numbers(current: int, last: int) -> list[int | None]:
    """Return the numbers of the pages to link to: the first, the last, and those nearby.

    None stands for those left out.
    """
    nearby = range(max(1, current - _NEARBY), min(last, current + _NEARBY) + 1)
    numbers: list[int | None] = []
    for number in sorted({1, last, *nearby}):
        if numbers and numbers[-1] != number - 1:
            numbers.append(None)
        numbers.append(number)
    return numbers
