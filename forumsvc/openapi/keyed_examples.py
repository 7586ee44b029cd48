"""Examples of the bare shape, extended for the keyed shape."""

from typing import Any

from .keyed_names import ALIASES

Schema = dict[str, Any]
_OF_FORMAT = {
    "date-time": "2026-11-21T02:00:00.000Z",
    "uri": "https://forum.example.org/avatars/ann.svg",
}
_EMPTY: dict[str, Any] = {"boolean": False, "integer": 0, "string": "", "array": []}


def complete(value: Any, schema: Schema, schemas: Schema) -> Any:
    """Return an example in which every required key of its schema is present.

    schemas: the components that the schema refers to.
    """
    schema = _resolved(schema, schemas)
    if "oneOf" in schema:
        return _complete_one_of(value, schema["oneOf"], schemas)
    if isinstance(value, list) and "items" in schema:
        return [complete(item, schema["items"], schemas) for item in value]
    if schema.get("type") == "integer" and isinstance(value, bool):
        return int(value)
    properties, required = _properties(schema, schemas)
    if not isinstance(value, dict) or not properties:
        return value
    done = {
        name: complete(inner, properties[name], schemas) if name in properties else inner
        for name, inner in value.items()
    }
    for name in required:
        if name not in done:
            alias = done.get(ALIASES.get(name, ""))
            done[name] = _placeholder(properties[name], schemas) if alias is None else alias
    return done


def _complete_one_of(value: Any, choices: list[Schema], schemas: Schema) -> Any:
    """Return the value, completed by the choice that has all its keys."""
    if not isinstance(value, dict):
        return value
    for choice in choices:
        if set(value) <= set(_properties(_resolved(choice, schemas), schemas)[0]):
            return complete(value, choice, schemas)
    raise ValueError(f"no schema matches the example: {value}")


def _placeholder(schema: Schema, schemas: Schema) -> Any:
    """Return a simple value that the schema allows."""
    schema = _resolved(schema, schemas)
    kinds = schema.get("type", "object")
    if "null" in kinds:
        return None
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("format") in _OF_FORMAT:
        return _OF_FORMAT[schema["format"]]
    if kinds == "integer":
        return schema.get("minimum", 0)
    return complete({}, schema, schemas) if kinds == "object" else _EMPTY[kinds]


def _resolved(schema: Schema, schemas: Schema) -> Schema:
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    return schema


def _properties(schema: Schema, schemas: Schema) -> tuple[dict[str, Schema], list[str]]:
    """Return all properties of an object and the required ones, including those of `allOf`."""
    schema = _resolved(schema, schemas)
    properties = dict(schema.get("properties", {}))
    required = list(schema.get("required", ()))
    for part in schema.get("allOf", ()):
        part_properties, needed = _properties(part, schemas)
        properties |= part_properties
        required += needed
    return properties, required
