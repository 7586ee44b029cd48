"""The description in both shapes: valid OpenAPI, complete, with correct examples."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
import yaml
from openapi_spec_validator import OpenAPIV31SpecValidator

from forumsvc.openapi import Description, describe
from forumsvc.openapi.keyed_names import ALIASES, ERROR_KINDS, GRADES
from forumsvc.pages.docs.guide import source
from forumsvc.settings import Settings
from forumsvc.text.error_codes import ErrorCode
from tests.cases import each
from tests.openapi.answers import PROBLEM, resolvable
from tests.openapi.operations import (
    BODY_TYPES,
    INI_SETTINGS,
    METHODS,
    all_operations,
    document,
    examples_of,
    operations,
    resolve,
)

SHAPES = ["bare", "keyed"]
BOTH = pytest.mark.parametrize("shape", SHAPES)
EVERY_OPERATION = [(shape, one) for shape in SHAPES for one in operations(shape)]


@BOTH
def test_the_document_is_valid_openapi_with_unique_names(shape):
    validator = OpenAPIV31SpecValidator(document(shape))
    assert [error.message for error in validator.iter_errors()] == []


@BOTH
def test_both_forms_are_the_document(shape):
    settings, url = Settings({**INI_SETTINGS, "api.envelope": shape}), "https://forum.example.org"
    served = Description(settings)
    described = json.loads(served.json(url).body)
    assert described == yaml.safe_load(served.yaml(url).body) == describe(settings, url)
    assert described["servers"] == [{"url": url}]


def test_what_some_generators_cannot_read_is_left_out():
    brief = describe(Settings(INI_SETTINGS), webhooks=False)
    assert "webhooks" not in brief
    assert "WebhookMessage" not in brief["components"]["schemas"]
    operations = [
        path[method] for path in brief["paths"].values() for method in METHODS if method in path
    ]
    assert {tag["name"] for tag in brief["tags"]} == {
        tag for one in operations for tag in one["tags"]
    }
    bodies = {one["operationId"]: one["requestBody"] for one in operations if "requestBody" in one}
    several = [name for name, body in bodies.items() if len(body["content"]) > 1]
    assert several == []


@BOTH
def test_generators_find_a_name_for_everything(shape):
    """Without, they number what they make: `Topic2`, `Kind1`."""
    components = document(shape)["components"]
    names = [name.lower() for kind in ("schemas", "parameters") for name in components[kind]]
    assert len(names) == len(set(names))
    for name, schema in components["schemas"].items():
        inner = {key: value for key, value in schema.items() if key != "enum"}
        assert not [
            one for one in _schemas(inner) if one.get("type") == "string" and "enum" in one
        ], name
        # OpenAPI Generator for Python has no type for what is only null.
        assert {"type": "null"} not in [*schema.get("properties", {}).values()], name


@BOTH
def test_words_of_answers_say_that_more_may_follow(shape):
    schemas = document(shape)["components"]["schemas"]
    requests = {"GrantType", "HealthStatus", "HidePosts", "PostsOfClosed"}
    silent = [
        name
        for name, one in schemas.items()
        if "enum" in one and "More values may follow" not in one.get("description", "")
    ]
    assert set(silent) == requests


def _schemas(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects in a structure."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _schemas(inner)


def test_limits_and_addresses_are_those_of_the_settings():
    settings = {"posts.max_title": "80", "site.url": "https://forum.example.org/sub"}
    other = describe(Settings({**INI_SETTINGS, **settings}))
    title = other["components"]["schemas"]["TopicForm"]["properties"]["title"]
    assert title["maxLength"] == 80
    assert other["servers"] == [{"url": "https://forum.example.org/sub"}]
    flow = other["components"]["securitySchemes"]["OAuth"]["flows"]["password"]
    assert flow["tokenUrl"] == "https://forum.example.org/sub/oauth/token"


@each("operation", all_operations())
def test_every_parameter_is_explained_with_an_example(operation):
    for parameter in operation.parameters:
        assert parameter["description"], parameter
        validator = jsonschema_rs.validator_for(resolvable(parameter["schema"]))
        validator.validate(parameter["example"])
        if "default" in parameter["schema"]:
            validator.validate(parameter["schema"]["default"])


@each(("shape", "operation"), EVERY_OPERATION)
def test_every_status_has_an_example_that_is_of_its_schema(shape, operation):
    statuses = operation.definition["responses"]
    assert set(statuses) >= {"400", "401", "403", "429", "500", "503"}
    for status in ("413", "415"):
        assert (status in statuses) is (operation.method != "get")
    assert shape == "bare" or "201" not in statuses
    for status, response in statuses.items():
        definition = resolve(response, shape)
        if status == "304":
            assert "content" not in definition
            continue
        contents = {**definition["content"]}
        assert (contents.pop(PROBLEM, None) is not None) is (status >= "400")
        [content] = contents.values()
        for content in definition["content"].values():
            _check_examples(content, shape)


@each("operation", operations())
def test_a_body_may_come_in_every_encoding_and_has_an_example(operation):
    body = operation.definition.get("requestBody")
    if body is None:
        return
    kinds = set(resolve(body)["content"])
    if operation.definition["operationId"] == "uploadPhoto":
        assert kinds == {"multipart/form-data"}
        return
    assert kinds == set(BODY_TYPES)
    for content in resolve(body)["content"].values():
        _check_examples(content, "bare")


@each("operation", [one for one in all_operations() if one not in operations()])
def test_examples_of_oauth_and_health_are_of_their_schemas(operation):
    requested = operation.definition.get("requestBody", {})
    for described in (requested, *operation.definition["responses"].values()):
        for content in described.get("content", {}).values():
            _check_examples(content, "bare")


def _check_examples(content: dict[str, Any], shape: str) -> None:
    schema = resolvable(content["schema"], shape)
    validator = jsonschema_rs.validator_for(schema, validate_formats=True)
    examples = examples_of(content, shape)
    assert examples
    for example in examples:
        validator.validate(example)


@each(("shape", "operation"), EVERY_OPERATION)
def test_links_lead_to_operations_name_their_parameters_and_find_their_values(shape, operation):
    by_id = {one.definition["operationId"]: one for one in operations(shape)}
    for response in operation.definition["responses"].values():
        definition = resolve(response, shape)
        for link in definition.get("links", {}).values():
            target = by_id[link["operationId"]]
            there = {one["name"] for one in target.parameters}
            there |= {f"{one['in']}.{one['name']}" for one in target.parameters}
            assert set(link.get("parameters", {})) <= there
            # A held post, which may follow, has no links.
            found, *_ = examples_of(definition["content"]["application/json"], shape)
            for expression in _strings(link.get("parameters", {})):
                if expression.startswith("$response.body#/"):
                    _find(found, expression.removeprefix("$response.body#/"))


def _find(value: Any, pointer: str) -> None:
    for step in pointer.split("/"):
        value = value[int(step) if step.isdigit() else step]


def _strings(value: Any) -> Iterator[str]:
    """Yield all texts in a structure."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def words(chapter: str, row: str, column: int) -> set[str]:
    """Return the words in code of a cell. row: how it begins; several such rows are one."""
    lines = [line for line in source(chapter).splitlines() if line.startswith(f"| {row}")]
    return {word for line in lines for word in re.findall(r"`([\w.]+)`", line.split("|")[column])}


def fields(schema: dict[str, Any]) -> set[str]:
    """Return the names of an object's properties."""
    own = set(schema.get("properties", {}))
    return own.union(*(fields(resolve(part)) for part in schema.get("allOf", [])))


@pytest.mark.parametrize("noun", ["user", "topic", "reply"])
def test_the_guide_names_each_field(noun):
    schemas = document()["components"]["schemas"]
    listed, alone = (
        fields(schemas[name]) - {"state", "place"}
        for name in (f"Listed{noun.title()}", f"{noun.title()}WithAbilities")
    )
    assert words("requests", noun, 2) == listed
    assert words("requests", noun, 3) == alone - listed


def test_the_guide_names_each_type_of_topic_lists_notifications_and_events():
    schemas = document()["components"]["schemas"]
    topics = document()["paths"]["/api/v3/topics"]["get"]["parameters"][0]
    assert words("quick-start", "`", 1) - {"type"} == set(topics["schema"]["enum"])
    assert words("notifications", "`", 1) - {"type"} == set(schemas["NotificationType"]["enum"])
    named = set().union(
        *(words("webhooks", row, 2) for row in ("topics", "replies", "users", "the rest"))
    )
    assert named == set(schemas["EventType"]["enum"])


def test_operations_and_parameters_of_the_keyed_shape_are_those_of_the_bare_one():
    parts = ("operationId", "requestBody", "security", "tags")
    for bare, keyed in zip(operations(), operations("keyed"), strict=True):
        assert str(bare) == str(keyed)
        for part in parts:
            assert keyed.definition.get(part) == bare.definition.get(part), str(bare)
        assert [one["name"] for one in keyed.parameters] == [one["name"] for one in bare.parameters]


def test_words_of_the_keyed_shape_are_those_of_the_code():
    schemas = document("keyed")["components"]["schemas"]
    assert schemas["ErrorKind"]["enum"] == sorted({*ERROR_KINDS.values()})
    assert schemas["Grade"]["enum"] == [*GRADES]
    assert schemas["UserDetail"]["allOf"][1]["properties"].keys() >= ALIASES.keys()


def test_the_guide_explains_each_code_of_an_error():
    text = source("errors")
    assert re.findall(r"^### `(\w+)`$", text, re.MULTILINE) == [*map(str, ErrorCode)]
