"""Checks responses of the service against the description, with cached validators."""

import re
from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
from webtest import TestResponse

from tests.openapi.operations import API, document, operations, resolve

JSON, PROBLEM = "application/json", "application/problem+json"
_SUFFIX = ".json"


class ResponseDefinition(NamedTuple):
    """The description of a response. body: None if there is none."""

    content_type: str | None
    body: Any
    headers: dict[str, Any]


def resolvable(schema: dict[str, Any], shape: str = "bare") -> dict[str, Any]:
    """Return a schema of the description that can be used alone."""
    return {**schema, "components": document(shape)["components"]}


def closed_schema(value: Any, *, inherited: bool = False) -> Any:
    """Return a schema that allows no undescribed fields.

    inherited: whether it is part of another schema with more fields.
    """
    if isinstance(value, list):
        return [closed_schema(one, inherited=inherited) for one in value]
    if not isinstance(value, dict):
        return value
    made = {
        key: closed_schema(inner, inherited=key == "allOf" or (inherited and key == "components"))
        for key, inner in value.items()
    }
    is_object = "allOf" in value or "$ref" in value or value.get("type") == "object"
    if is_object and not inherited and "additionalProperties" not in value:
        made["unevaluatedProperties"] = False
    return made


@cache
def _components(shape: str) -> dict[str, Any]:
    # A component may be a part of another: who refers to it says whether it is all.
    schemas = document(shape)["components"]["schemas"]
    return {"schemas": {name: closed_schema(one, inherited=True) for name, one in schemas.items()}}


@cache
def _response_definition(
    shape: str, path: str, method: str, status: str, sent: str | None
) -> ResponseDefinition | None:
    """Return what is described for a status. sent: the media type that it came with."""
    definition = document(shape)["paths"][path][method]["responses"].get(status)
    if definition is None:
        return None
    definition = resolve(definition, shape)
    headers = {
        name: resolve(header, shape) for name, header in definition.get("headers", {}).items()
    }
    if "content" not in definition:
        return ResponseDefinition(None, None, headers)
    contents = definition["content"]
    kind = sent if sent in contents else next(iter(contents))
    schema = {**closed_schema(contents[kind]["schema"]), "components": _components(shape)}
    return ResponseDefinition(
        kind, jsonschema_rs.validator_for(schema, validate_formats=True), headers
    )


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    paths = sorted({one.path for one in operations()}, key=lambda path: path.count("{"))
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path) for path in paths]


@cache
def _path_template(path: str, method: str) -> str | None:
    """Return the path template of a path, if it is described with this method."""
    if not path.startswith(API):
        return path if is_described(path, method) else None
    for spelled in (path, path.removesuffix("/"), path.removesuffix("/").removesuffix(_SUFFIX)):
        for pattern, template in _patterns():
            if pattern.fullmatch(spelled):
                return template if method in document()["paths"][template] else None
    return None


def is_described(path: str, method: str) -> bool:
    """Return whether a path without parameters is described with this method."""
    return method.lower() in document()["paths"].get(path, {})


@cache
def _failure(shape: str, content_type: str | None) -> ResponseDefinition:
    kind, name = (PROBLEM, "Problem") if content_type == PROBLEM else (JSON, "Error")
    schema = closed_schema({"$ref": f"#/components/schemas/{name}"})
    body = jsonschema_rs.validator_for({**schema, "components": _components(shape)})
    return ResponseDefinition(kind, body, {})


def find_deviations(path: str, method: str, answer: TestResponse, shape: str = "bare") -> list[str]:
    """Return the deviations of a response from the description, as text.

    path: as in the request, decoded; an undescribed method or path must have failed. shape: the
    shape of responses, as in `api.envelope`.
    """
    method = "get" if method == "HEAD" else method.lower()
    if method == "options":
        return []
    status = str(answer.status_int)
    template = _path_template(path, method) if path.isascii() else None
    failure = _failure(shape, answer.content_type)
    if template is None:
        if answer.status_int < 400:
            return [f"{status} where nothing is described"]
        definition = failure
    else:
        sent = answer.content_type
        response = _response_definition(shape, template, method, status, sent)
        if response is None and (path.startswith(API) or answer.status_int < 400):
            return [f"{status} is not described"]
        # What any path may answer is described of the API alone.
        definition = response or failure
    return [*_wrong_headers(definition, answer), *_wrong_body(definition, answer)]


def find_deviations_of_message(message: dict[str, Any]) -> list[str]:
    """Return the deviations of a webhook's message from its description, as text."""
    content = document()["webhooks"][message["type"]]["post"]["requestBody"]["content"]
    schema = closed_schema(content["application/json"]["schema"])
    schema = {**schema, "components": _components("bare")}
    validator = jsonschema_rs.validator_for(schema, validate_formats=True)
    return [f"{one.instance_path}: {one.message}" for one in validator.iter_errors(message)]


def _wrong_headers(definition: ResponseDefinition, answer: TestResponse) -> list[str]:
    found = []
    for name, header in definition.headers.items():
        value = answer.headers.get(name)
        if value is None:
            found += [f"{name} is missing"] if header.get("required") else []
        elif not re.search(header["schema"].get("pattern", ""), value):
            found.append(f"{name} is {value!r}")
    return found


def _wrong_body(definition: ResponseDefinition, answer: TestResponse) -> list[str]:
    if definition.content_type is None or answer.request.method == "HEAD":
        return [f"a body: {answer.text[:200]}"] if answer.body else []
    if answer.content_type != definition.content_type:
        return [f"Content-Type is {answer.content_type}"]
    if definition.content_type not in (JSON, PROBLEM):
        return []
    document = answer.json
    if definition.body.is_valid(document):
        return []
    return [
        f"{error.instance_path}: {error.message}" for error in definition.body.iter_errors(document)
    ]
