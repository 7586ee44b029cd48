"""The parameters of the topic endpoints."""

from typing import Any

import colander

from ..queries.own_topics import UNREAD, TopicRelation
from ..queries.topic_lists import PinnedOrder, TopicOrder, UserTopicOrder
from .fields import Boolean, Choice, Id, Line, Text, clearable, optional, parameters, required
from .lists import MAX_LISTED_IDS, Ids
from .paging import page_parameters


def topic_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /topics; with the keyed envelope an unknown type is accepted."""
    lenient = settings["api.envelope"] == "keyed"
    fallback = TopicOrder.LAST_ACTIVED
    return parameters(
        optional("type", Choice((*TopicOrder, UNREAD), fallback if lenient else None), fallback),
        optional("ids", Ids(MAX_LISTED_IDS)),
        optional("node_id", Id()),
        optional("pinned", Choice(PinnedOrder)),
        *page_parameters(),
    )


USER_TOPICS = parameters(
    optional("order", Choice(UserTopicOrder), UserTopicOrder.RECENT),
    optional("relation", Choice(TopicRelation)),
    optional("unread", Boolean(), default=False),
    *page_parameters(),
)


READ_FORM = parameters(optional("reply_id", Id()), optional("force", Boolean(), default=False))
READ_ALL_FORM = parameters(optional("node_id", Id()))


def topic_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of creating or editing a topic."""
    return parameters(
        required("title", Line(1, settings["posts.max_title"])),
        required("node_id", Id()),
        required("body", Text(1, settings["posts.max_body"])),
    )


def topic_changes(settings: Any) -> colander.SchemaNode:
    """Return the schema of PATCH /topics/:id: what is left out stays."""
    return parameters(
        clearable("title", Line(1, settings["posts.max_title"])),
        clearable("node_id", Id()),
        clearable("body", Text(1, settings["posts.max_body"])),
    )
