"""Holding answers of the service to the description, by validators that are compiled once."""

import re
from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
from webtest import TestResponse

from tests.openapi.operations import document, follow, operations

API = "/api/v3/"
_SUFFIX = ".json"


class Answer(NamedTuple):
    """What is described of an answer. body: None where there is none."""

    content_type: str | None
    body: Any
    headers: dict[str, Any]


def resolvable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of the description as one that stands alone."""
    return {**schema, "components": document()["components"]}


def exact(value: Any, *, inherited: bool = False) -> Any:
    """Return a schema that takes no fields beside the described ones.

    inherited: it is part of another, which has more.
    """
    if isinstance(value, list):
        return [exact(one, inherited=inherited) for one in value]
    if not isinstance(value, dict):
        return value
    made = {
        key: exact(inner, inherited=key == "allOf" or (inherited and key == "components"))
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
    return {"schemas": {name: exact(one, inherited=True) for name, one in schemas.items()}}


@cache
def _answer(shape: str, path: str, method: str, status: str) -> Answer | None:
    told = document(shape)["paths"][path][method]["responses"].get(status)
    if told is None:
        return None
    told = follow(told, shape)
    headers = {name: follow(header, shape) for name, header in told.get("headers", {}).items()}
    if "content" not in told:
        return Answer(None, None, headers)
    [(kind, content)] = told["content"].items()
    schema = {**exact(content["schema"]), "components": _components(shape)}
    return Answer(kind, jsonschema_rs.validator_for(schema, validate_formats=True), headers)


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    paths = sorted({one.path for one in operations()}, key=lambda path: path.count("{"))
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path) for path in paths]


@cache
def _described(path: str, method: str) -> str | None:
    """Return the described path that a path is of, if it is described with this method."""
    for spelled in (path, path.removesuffix("/"), path.removesuffix("/").removesuffix(_SUFFIX)):
        for pattern, told in _patterns():
            if pattern.fullmatch(spelled):
                return told if method in document()["paths"][told] else None
    return None


@cache
def _failure(shape: str) -> Any:
    schema = exact({"$ref": "#/components/schemas/Error"})
    return jsonschema_rs.validator_for({**schema, "components": _components(shape)})


def wrong(path: str, method: str, answer: TestResponse, shape: str = "bare") -> list[str]:
    """Return in what an answer is not as described, in words.

    path: as the request had it, decoded; a method or path that is not described must have failed.
    shape: of the answers, as `api.envelope` says it.
    """
    method = "get" if method == "HEAD" else method.lower()
    if method == "options":
        return []
    status = str(answer.status_int)
    told = _described(path, method) if path.isascii() else None
    if told is None:
        if answer.status_int < 400:
            return [f"{status} where nothing is described"]
        found = Answer("application/json", _failure(shape), {})
    else:
        known = _answer(shape, told, method, status)
        if known is None:
            return [f"{status} is not described"]
        found = known
    return [*_wrong_headers(found, answer), *_wrong_body(found, answer)]


def _wrong_headers(told: Answer, answer: TestResponse) -> list[str]:
    found = []
    for name, header in told.headers.items():
        value = answer.headers.get(name)
        if value is None:
            found += [f"{name} is missing"] if header.get("required") else []
        elif not re.search(header["schema"].get("pattern", ""), value):
            found.append(f"{name} is {value!r}")
    return found


def _wrong_body(told: Answer, answer: TestResponse) -> list[str]:
    if told.content_type is None or answer.request.method == "HEAD":
        return [f"a body: {answer.text[:200]}"] if answer.body else []
    if answer.content_type != told.content_type:
        return [f"Content-Type is {answer.content_type}"]
    if told.content_type != "application/json":
        return []
    document = answer.json
    if told.body.is_valid(document):
        return []
    return [f"{error.instance_path}: {error.message}" for error in told.body.iter_errors(document)]
