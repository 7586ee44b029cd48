"""The parameters of the search."""

from datetime import datetime
from typing import Any

from ..errors import Invalid
from ..search.query import Order, State, Where, parse_moment
from ..text.messages import Message
from .fields import (
    Boolean,
    Choice,
    Field,
    Id,
    Integer,
    Line,
    optional,
    parameters,
    quoted,
    refuse,
    required,
)
from .paging import DEFAULT_LIMIT

MAX_LIMIT = 50
MAX_USERS = 20
_MAX_QUERY = 200
_MAX_NAME = 40
_DEFAULT_USERS = 10


class Date(Field):
    """A day (`2026-01-31`, also a month or a year), which means its beginning; or a time."""

    def parse(self, node: Any, value: Any) -> datetime:
        """Return the time in UTC."""
        try:
            return parse_moment(node.name, value)
        except Invalid:
            values = {"value": quoted(value)}
            reason = Message("must be a date such as 2026-01-31, not %(value)s", **values)
            return refuse(node, reason)


REPLY_SEARCH = parameters(
    required("q", Line(1, _MAX_QUERY)),
    optional("node_id", Id()),
    optional("by", Line(1, _MAX_NAME)),
    optional("since", Date()),
    optional("until", Date()),
    optional("order", Choice(Order)),
    optional("include_hidden", Boolean(), False),
    optional("offset", Integer(0), 0),
    optional("limit", Integer(1, MAX_LIMIT), DEFAULT_LIMIT),
)
TOPIC_SEARCH = parameters(
    *REPLY_SEARCH.children, optional("in", Choice(Where)), optional("is", Choice(State))
)
USER_SEARCH = parameters(
    required("q", Line(1, _MAX_NAME)),
    optional("topic_id", Id()),
    optional("limit", Integer(1, MAX_USERS), _DEFAULT_USERS),
)
