"""Turning a request's parameters into validated values."""

from collections.abc import Callable
from typing import Any, Protocol

import colander

from ..errors import Invalid


class Source(Protocol):
    """Where parameters come from (`web.parameters.Parameters`)."""

    def one(self, name: str) -> Any:
        """Return the value of that name, None where there is none."""

    def several(self, name: str) -> list[Any] | None:
        """Return all values of that name, None where there is none."""


def validate(schema: colander.SchemaNode, source: Source) -> dict[str, Any]:
    """Return the validated parameters by name. Raises Invalid for the first that is wrong."""
    cstruct: dict[str, Any] = {}
    for node in schema.children:
        read: Callable[[str], Any] = (
            source.several if getattr(node.typ, "is_list", False) else source.one
        )
        value = read(node.name)
        if value is None or (value == "" and _empty_is_absent(node)):
            continue
        cstruct[node.name] = value
    try:
        return schema.deserialize(cstruct)
    except colander.Invalid as error:
        worst = error.children[0]
        raise Invalid(worst.node.name, _reason(worst)) from None


def _empty_is_absent(node: colander.SchemaNode) -> bool:
    return not node.required and not getattr(node, "clearable", False)


def _reason(error: colander.Invalid) -> str:
    # colander's own words for a missing parameter are a translation string: "Required".
    message = error.msg
    return "is required" if message == "Required" else str(message)
