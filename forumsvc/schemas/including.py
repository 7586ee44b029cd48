"""The parameter `include`: what a client wants shown beside what a read shows by itself."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import colander

from .fields import Choice, optional, parameters

SchemaFactory = Callable[[Any], colander.SchemaNode]


class Include(StrEnum):
    """What can be shown beside."""

    STATE = "state"


def no_parameters(settings: Any) -> colander.SchemaNode:
    """Return the schema of a read that has no other parameters."""
    return parameters()


def with_include(schema: SchemaFactory = no_parameters) -> SchemaFactory:
    """Return what makes the same schema with `include` in it."""

    def made(settings: Any) -> colander.SchemaNode:
        node = schema(settings)
        node.add(optional("include", Choice(Include)))
        return node

    return made
