"""The parameters of the topic endpoints."""

from typing import Any

import colander

from ..queries.topics import TopicOrder, UserTopicOrder
from .fields import Choice, Id, Line, Text, optional, parameters, required
from .paging import page_parameters


def topic_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /topics; with the keyed envelope an unknown type is accepted."""
    lenient = settings["api.envelope"] == "keyed"
    fallback = TopicOrder.LAST_ACTIVED
    return parameters(
        optional("type", Choice(TopicOrder, fallback if lenient else None), fallback),
        optional("node_id", Id()),
        *page_parameters(),
    )


USER_TOPICS = parameters(
    optional("order", Choice(UserTopicOrder), UserTopicOrder.RECENT), *page_parameters()
)


def topic_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of creating or editing a topic."""
    return parameters(
        required("title", Line(1, settings["posts.max_title"])),
        required("node_id", Id()),
        required("body", Text(1, settings["posts.max_body"])),
    )
