"""The parameters of the reply endpoints."""

from typing import Any

import colander

from ..queries.replies import ReplyOrder
from .fields import Choice, Id, Text, clearable, optional, parameters, required
from .lists import MAX_LISTED_IDS, Ids
from .paging import page_parameters

TOPIC_REPLIES = parameters(
    *page_parameters(), optional("around", Id()), optional("order", Choice(ReplyOrder))
)
REPLIES_BY_ID = parameters(required("ids", Ids(MAX_LISTED_IDS)))


def reply_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of creating or editing a reply."""
    return parameters(required("body", Text(1, settings["posts.max_body"])))


def reply_changes(settings: Any) -> colander.SchemaNode:
    """Return the schema of PATCH /replies/:id: what is left out stays."""
    return parameters(clearable("body", Text(1, settings["posts.max_body"])))
