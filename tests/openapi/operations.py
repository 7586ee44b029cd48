"""The description for tests: operations, with references resolved."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from forumsvc.openapi import describe
from forumsvc.settings import Settings

API = "/api/v3/"
METHODS = ("get", "put", "post", "patch", "delete")
INI_SETTINGS = {
    "site.environment": "development",
    "sqlalchemy.url": "sqlite:///none",
    "session.secret": "a secret, long enough for everybody",
}
BODY_TYPES = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(frozen=True)
class Operation:
    """A method of a path, with the parameters of both."""

    path: str
    method: str
    definition: dict[str, Any]
    parameters: list[dict[str, Any]]

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def query(self) -> dict[str, dict[str, Any]]:
        """The parameters of the query by name."""
        return {one["name"]: one for one in self.parameters if one["in"] == "query"}

    @property
    def forms(self) -> dict[str, dict[str, Any]]:
        """The schemas of the body by media type."""
        body = resolve(self.definition.get("requestBody", {"content": {}}))
        return {kind: resolve(form["schema"]) for kind, form in body["content"].items()}


@cache
def document(shape: str = "bare") -> dict[str, Any]:
    """Return the whole description of a service in a shape, with default settings."""
    return describe(Settings({**INI_SETTINGS, "api.envelope": shape}), forms=True)


def examples_of(content: dict[str, Any], shape: str = "bare") -> list[Any]:
    """Return the examples of a body."""
    found = [resolve(one, shape)["value"] for one in content.get("examples", {}).values()]
    return found + ([content["example"]] if "example" in content else [])


def resolve(value: dict[str, Any], shape: str = "bare") -> dict[str, Any]:
    """Return the target of a reference; other values are returned unchanged."""
    while "$ref" in value:
        found: Any = document(shape)
        for step in value["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        value = found
    return value


@cache
def operations(shape: str = "bare") -> list[Operation]:
    """Return the operations of the API in a shape."""
    return [one for one in all_operations(shape) if one.path.startswith(API)]


@cache
def all_operations(shape: str = "bare") -> list[Operation]:
    """Return all operations of a shape, with those of OAuth and of health."""
    return [*_operations(shape)]


def _operations(shape: str) -> Iterator[Operation]:
    for path, item in document(shape)["paths"].items():
        for method in METHODS:
            if method in item:
                definition = item[method]
                listed = [*item.get("parameters", ()), *definition.get("parameters", ())]
                yield Operation(path, method, definition, [resolve(one, shape) for one in listed])
