"""The parameter `include`: additional data in the response of a read."""

from collections.abc import Callable
from enum import StrEnum

import colander

from ..settings import Settings
from .fields import Choice, optional, parameters

SchemaFactory = Callable[[Settings], colander.SchemaNode]


class Include(StrEnum):
    """What can be included."""

    STATE = "state"


def no_parameters(settings: Settings) -> colander.SchemaNode:
    """Return the schema of a read without parameters."""
    return parameters()


def with_include(schema: SchemaFactory = no_parameters) -> SchemaFactory:
    """Return a factory of the same schema with the parameter `include`."""

    def factory(settings: Settings) -> colander.SchemaNode:
        node = schema(settings)
        node.add(optional("include", Choice(Include)))
        return node

    return factory
