"""The tags of the description's YAML files.

`!setting NAME`, the value of a setting; `!address PATH`, a path under
the address of the service; `!needs SCOPE` and `!optional SCOPE`, the security requirement of an
operation that requires a token, or accepts one; `!enum`, the words of enums of the models, and
others; `!words`, those words alone; `!abilities` and `!granted`, the schema and an example of
abilities; `!form`, the body of a request; `!message`, what a webhook receives.
"""

from enum import EnumType
from typing import Any, NamedTuple

import yaml

from .. import models, permissions
from ..text import error_codes
from .words import words_schema

_SCHEMES = ("OAuth", "Bearer", "AccessToken")
JSON = "application/json"
MESSAGES = "Webhook messages"
"""The tag of what receivers of webhooks get."""


class Setting(NamedTuple):
    name: str


class Address(NamedTuple):
    path: str


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # libyaml's
    """YAML with the tags above."""


def _security(loader: Any, node: Any) -> list[dict[str, list[str]]]:
    # The scope of RFC 6750 applies however the token is sent, so each scheme names it.
    return [{scheme: [node.value]} for scheme in _SCHEMES]


def _enum(loader: Any, node: Any) -> dict[str, Any]:
    """Return the schema of words. `of`: words, and enums of the models by their names."""
    value = loader.construct_mapping(node, deep=True)
    words: list[str] = []
    for name in value["of"]:
        enum = getattr(models, name, getattr(error_codes, name, None))
        words += map(str, enum) if isinstance(enum, EnumType) else [name]
    return words_schema(words, value.get("description", ""))


def _words(loader: Any, node: Any) -> list[str]:
    """Return the words of an enum or a table of the models, by its name."""
    return [*map(str, getattr(models, node.value))]


def _abilities(loader: Any, node: Any) -> dict[str, Any]:
    """Return the schema of abilities. `of`: a tuple of `permissions`, by its name."""
    value = loader.construct_mapping(node, deep=True)
    words = [*map(str, getattr(permissions, value["of"]))]
    return {
        "type": "object",
        "description": value["description"],
        "required": words,
        "properties": {word: {"type": "boolean"} for word in words},
    }


def _granted(loader: Any, node: Any) -> dict[str, bool]:
    """Return an example of abilities. `those`: the ones that are granted."""
    value = loader.construct_mapping(node, deep=True)
    return {str(word): word in value["those"] for word in getattr(permissions, value["of"])}


def _form(loader: Any, node: Any) -> dict[str, Any]:
    """Return the body of a request. `schema`: its name; `required`: true if missing."""
    value = loader.construct_mapping(node, deep=True)
    schema = {"$ref": f"#/components/schemas/{value['schema']}"}
    content = {JSON: {"schema": schema, "example": value["example"]}}
    return {"required": value.get("required", True), "content": content}


def _message(loader: Any, node: Any) -> dict[str, Any]:
    """Return a webhook of OpenAPI: the request that its receiver gets."""
    value = loader.construct_mapping(node, deep=True)
    data = {"required": value["data"]}
    schema = {
        "allOf": [{"$ref": "#/components/schemas/WebhookMessage"}, {"properties": {"data": data}}]
    }
    headers = ("MessageId", "MessageTimestamp", "MessageSignature")
    operation = {
        "summary": value["summary"],
        "tags": [MESSAGES],
        "security": [],
        "parameters": [parameter_ref(name) for name in headers],
        "requestBody": {"required": True, "content": {JSON: {"schema": schema}}},
        "responses": {"2XX": {"description": "Any such answer within 15 seconds is a success."}},
    }
    return {"post": operation}


Loader.add_constructor("!enum", _enum)
Loader.add_constructor("!form", _form)
Loader.add_constructor("!words", _words)
Loader.add_constructor("!abilities", _abilities)
Loader.add_constructor("!granted", _granted)
Loader.add_constructor("!message", _message)
Loader.add_constructor("!setting", lambda loader, node: Setting(node.value))
Loader.add_constructor("!address", lambda loader, node: Address(node.value))
Loader.add_constructor("!needs", _security)
Loader.add_constructor("!optional", lambda loader, node: [{}, *_security(loader, node)])


def parameter_ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/parameters/{name}"}
