"""The parameters by which lists are cut into pages."""

from typing import Any

import colander

from .fields import Whole, optional, parameters

MOST = 150
MOST_USERS = 100
DEFAULT = 20


def offset() -> colander.SchemaNode:
    """Return the parameter `offset`: how many rows to pass over."""
    return optional("offset", Whole(0), 0)


def limit(most: int = MOST) -> colander.SchemaNode:
    """Return the parameter `limit`: how many rows to give."""
    return optional("limit", Whole(1, most), DEFAULT)


def paged(settings: Any) -> colander.SchemaNode:
    """Return the schema of a list that has no other parameters."""
    return parameters(offset(), limit())


def popular_users(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /users."""
    return parameters(limit(MOST_USERS))
