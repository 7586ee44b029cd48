"""The parameters of the draft endpoints, and of posts that are sent from a draft."""

from collections.abc import Callable
from typing import Any

import colander

from ..errors import Invalid
from ..text.ids import MAX_DRAFT_KEY, is_draft_key
from ..text.messages import Message
from .fields import Id, Line, Text, optional, parameters
from .paging import page_parameters

DRAFT_LIST = parameters(*page_parameters())


def _key_error(text: str) -> str | None:
    if is_draft_key(text):
        return None
    return Message(
        "must have 1 to %(most)d characters of A to Z, a to z, 0 to 9 and ._:-", most=MAX_DRAFT_KEY
    )


class DraftKey(Line):
    """The key of a draft."""

    find_error = staticmethod(_key_error)

    def __init__(self) -> None:
        super().__init__(0, MAX_DRAFT_KEY)


def check_key(key: str) -> str:
    """Return the key that a path names. Raises Invalid if no draft can have it."""
    error = _key_error(key)
    if error is not None:
        raise Invalid("key", error)
    return key


def draft_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of PUT /drafts/:key: what is left out is empty."""
    return parameters(
        optional("title", Line(0, settings["posts.max_title"]), ""),
        optional("body", Text(0, settings["posts.max_body"]), ""),
        optional("node_id", Id()),
    )


def with_draft(form: Callable[[Any], colander.SchemaNode]) -> Callable[[Any], colander.SchemaNode]:
    """Return the schema with `draft`, the key of the draft that becomes the text that is sent."""

    def factory(settings: Any) -> colander.SchemaNode:
        node = form(settings)
        node.add(optional("draft", DraftKey()))
        return node

    return factory
