"""The parameters by which lists are cut into pages."""

from typing import Any

import colander

from .fields import Position, Whole, optional, parameters

MOST = 150
MOST_USERS = 100
DEFAULT = 20


def limit(most: int = MOST) -> colander.SchemaNode:
    """Return the parameter `limit`: how many rows to give."""
    return optional("limit", Whole(1, most), DEFAULT)


def part() -> list[colander.SchemaNode]:
    """Return the parameters by which a list is cut: `offset`, `limit`, `before`, `after`."""
    return [
        optional("offset", Whole(0), 0),
        limit(),
        optional("before", Position()),
        optional("after", Position()),
    ]


def paged(settings: Any) -> colander.SchemaNode:
    """Return the schema of a list that has no other parameters."""
    return parameters(*part())


def popular_users(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /users."""
    return parameters(limit(MOST_USERS))
