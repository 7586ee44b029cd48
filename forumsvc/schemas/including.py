"""The parameter `include`: additional data in the response of a read."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import colander

from ..settings import Settings
from .fields import Choice, optional, parameters

Schema: TypeAlias = colander.SchemaNode | Callable[[Settings], colander.SchemaNode]
"""The schema of a request, or what makes it from the settings."""


def schema_of(schema: Schema, settings: Settings) -> colander.SchemaNode:
    return schema if isinstance(schema, colander.SchemaNode) else schema(settings)


class Include(StrEnum):
    """What can be included."""

    STATE = "state"


NO_PARAMETERS = parameters()


def with_include(schema: Schema = NO_PARAMETERS) -> Schema:
    """Return the same schema with the parameter `include`."""

    def factory(settings: Settings) -> colander.SchemaNode:
        node = schema_of(schema, settings).clone()
        node.add(optional("include", Choice(Include)))
        return node

    return factory
