"""The parameter `include`: additional data in the response of a read."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import colander

from ..settings import Settings
from .fields import optional, parameters
from .lists import Words

Schema: TypeAlias = colander.SchemaNode | Callable[[Settings], colander.SchemaNode]
"""The schema of a request, or what makes it from the settings."""


def schema_of(schema: Schema, settings: Settings) -> colander.SchemaNode:
    return schema if isinstance(schema, colander.SchemaNode) else schema(settings)


class Include(StrEnum):
    """What can be included. Each endpoint names those of it that it knows (`with_include`)."""

    STATE = "state"
    PLACE = "place"
    TEXT = "text"


NO_PARAMETERS = parameters()


def with_include(schema: Schema = NO_PARAMETERS, *words: Include) -> Schema:
    """Return the same schema with the parameter `include`.

    words: what this endpoint can include; `STATE` alone if none is given.
    """
    known = words or (Include.STATE,)

    def factory(settings: Settings) -> colander.SchemaNode:
        node = schema_of(schema, settings).clone()
        node.add(optional("include", Words(known)))
        return node

    return factory
