"""Validating a request's parameters."""

from functools import lru_cache
from typing import Any

import colander

from ..errors import Invalid
from ..text.messages import Message

_CACHE_SIZE = 1_000
_MAX_CACHED_LENGTH = 64


def validate(schema: colander.SchemaNode, source: Any) -> dict[str, Any]:
    """Return the validated parameters by name. Raises Invalid for the first wrong one.

    source: the request's `web.api.parameters.Parameters`.
    """
    return _deserialized(schema, _raw_values(schema, source))


def validate_query(schema: colander.SchemaNode, source: Any) -> dict[str, Any]:
    """Return the validated parameters of a safe request, as `validate` does.

    Such parameters are few and often the same, so the results are cached.
    """
    raw_value = _raw_values(schema, source)
    if all(map(_is_short, raw_value.values())):
        return _deserialized_cached(schema, tuple(raw_value.items())).copy()
    return _deserialized(schema, raw_value)


def _is_short(value: Any) -> bool:
    """Return whether a value is a text or a tuple of texts, and short enough to be cached."""
    texts = value if type(value) is tuple else (value,)
    are_texts = all(type(text) is str for text in texts)
    return are_texts and sum(map(len, texts)) + len(texts) <= _MAX_CACHED_LENGTH


@lru_cache(_CACHE_SIZE)
def _deserialized_cached(
    schema: colander.SchemaNode, parameters: tuple[tuple[str, str | tuple[str, ...]], ...]
) -> dict[str, Any]:
    return _deserialized(schema, dict(parameters))


def _raw_values(schema: colander.SchemaNode, source: Any) -> dict[str, Any]:
    cstruct: dict[str, Any] = {}
    if source.is_empty:
        return cstruct
    for node in schema.children:
        if getattr(node.typ, "is_list", False):
            values = source.get_all(node.name)
            value = None if values is None else tuple(values)
        else:
            value = source.get(node.name)
        if value is None or (value == "" and _empty_is_absent(node)):
            continue
        cstruct[node.name] = value
    return cstruct


def _deserialized(schema: colander.SchemaNode, value: dict[str, Any]) -> dict[str, Any]:
    try:
        validated: dict[str, Any] = schema.deserialize(value)
        return validated
    except colander.Invalid as error:
        first, *others = ((child.node.name, _reason(child)) for child in error.children)
        raise Invalid(*first, dict(others)) from None


def _empty_is_absent(node: colander.SchemaNode) -> bool:
    return not node.required and not getattr(node, "clearable", False)


def _reason(error: colander.Invalid) -> str:
    # colander's message for a missing parameter is a translation string: "Required".
    return Message("is required") if error.msg == "Required" else error.msg
