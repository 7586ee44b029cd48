"""The parameters of the like endpoints."""

from enum import StrEnum
from typing import Any

import colander

from .fields import Choice, Id, optional, parameters, required
from .paging import page_parameters


class Likeable(StrEnum):
    """The types of resources that can be liked."""

    TOPIC = "topic"
    REPLY = "reply"


def like_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of liking and unliking."""
    return parameters(required("obj_type", Choice(Likeable)), required("obj_id", Id()))


def own_likes(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /users/:id/likes."""
    return parameters(
        required("obj_type", Choice(Likeable)), optional("topic_id", Id()), *page_parameters()
    )
