"""The parameters of paging."""

import colander

from .fields import CursorField, Integer, optional, parameters
from .lists import MAX_LISTED_IDS, Ids

MAX_LIMIT = 150
MAX_USERS = 100
DEFAULT_LIMIT = 20


def limit(maximum: int = MAX_LIMIT) -> colander.SchemaNode:
    """Return the parameter `limit`: the number of rows of a page."""
    return optional("limit", Integer(1, maximum), DEFAULT_LIMIT)


def page_parameters() -> list[colander.SchemaNode]:
    """Return the parameters of a PAGED list: `offset`, `limit`, `before`, `after`."""
    return [
        optional("offset", Integer(0), 0),
        limit(),
        optional("before", CursorField()),
        optional("after", CursorField()),
    ]


PAGED = parameters(*page_parameters())
POPULAR_USERS = parameters(optional("ids", Ids(MAX_LISTED_IDS)), limit(MAX_USERS))
