"""The description itself: valid OpenAPI, complete, with correct examples."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

import forumsvc
from forumsvc.openapi import Description, describe
from forumsvc.pages.docs.guide import source
from forumsvc.settings import Settings
from tests.openapi.answers import resolvable
from tests.openapi.operations import (
    BODY_TYPES,
    INI_SETTINGS,
    Operation,
    document,
    operations,
    resolve,
)

FOLDER = Path(forumsvc.__file__).parent / "openapi"
EACH = pytest.mark.parametrize("operation", operations(), ids=str)


def test_the_document_is_valid_openapi() -> None:
    assert document()["openapi"] == "3.1.0"
    assert [error.message for error in OpenAPIV31SpecValidator(document()).iter_errors()] == []


def test_both_forms_are_the_document() -> None:
    import json

    import yaml

    served = Description(Settings(INI_SETTINGS))
    assert json.loads(served.json.body) == yaml.safe_load(served.yaml.body) == document()


def test_limits_and_addresses_are_those_of_the_settings() -> None:
    settings = {"posts.max_title": "80", "site.url": "https://forum.example.org/sub"}
    other = describe(Settings({**INI_SETTINGS, **settings}))
    title = other["components"]["schemas"]["TopicForm"]["properties"]["title"]
    assert title["maxLength"] == 80
    assert other["servers"] == [{"url": "https://forum.example.org/sub"}]
    flow = other["components"]["securitySchemes"]["OAuth"]["flows"]["password"]
    assert flow["tokenUrl"] == "https://forum.example.org/sub/oauth/token"
    assert document()["servers"] == [{"url": "/"}]


def test_operations_have_unique_names() -> None:
    names = Counter(one.definition["operationId"] for one in operations())
    assert [name for name, times in names.items() if times > 1] == []


@EACH
def test_an_operation_says_what_it_does_and_needs(operation: Operation) -> None:
    tags = {tag["name"] for tag in document()["tags"]}
    assert set(operation.definition["tags"]) <= tags
    assert operation.definition["summary"].endswith(".")
    assert operation.definition["security"]


@EACH
def test_every_parameter_is_explained_with_an_example(operation: Operation) -> None:
    for parameter in operation.parameters:
        assert parameter["description"], parameter
        validator = jsonschema_rs.validator_for(resolvable(parameter["schema"]))
        validator.validate(parameter["example"])
        if "default" in resolve(parameter["schema"]):
            validator.validate(resolve(parameter["schema"])["default"])


@EACH
def test_a_list_that_takes_an_offset_takes_cursors_and_links_to_its_pages(
    operation: Operation,
) -> None:
    cut = {"offset", "before", "after"} & operation.query.keys()
    link = resolve(operation.definition["responses"].get("200", {})).get("headers", {}).get("Link")
    # Events are read forward only, and what was found has no order that a cursor could stand in.
    other = {"listEvents": {"after"}, "searchTopics": {"offset"}, "searchReplies": {"offset"}}
    expected = other.get(operation.definition["operationId"], {"offset", "before", "after"})
    assert cut in (set(), expected)
    assert (link is not None) is bool(cut)


@EACH
def test_every_status_has_a_schema_and_an_example_that_is_of_it(operation: Operation) -> None:
    statuses = operation.definition["responses"]
    assert set(statuses) >= {"400", "401", "403", "429", "500", "503"}
    assert ("413" in statuses) is (operation.method != "get")
    for status, response in statuses.items():
        definition = resolve(response)
        if status == "304":
            assert "content" not in definition
            continue
        [content] = definition["content"].values()
        _check_examples(content)


@EACH
def test_a_body_may_come_in_every_encoding_and_has_an_example(operation: Operation) -> None:
    body = operation.definition.get("requestBody")
    if body is None:
        return
    kinds = set(resolve(body)["content"])
    if operation.definition["operationId"] == "uploadPhoto":
        assert kinds == {"multipart/form-data"}
        return
    assert kinds == set(BODY_TYPES)
    for content in resolve(body)["content"].values():
        _check_examples(content)


def _check_examples(content: dict[str, Any]) -> None:
    examples = [resolve(one)["value"] for one in content.get("examples", {}).values()]
    examples += [content["example"]] if "example" in content else []
    assert examples
    validator = jsonschema_rs.validator_for(resolvable(content["schema"]))
    for example in examples:
        validator.validate(example)


@EACH
def test_links_lead_to_operations_and_name_their_parameters(operation: Operation) -> None:
    by_id = {one.definition["operationId"]: one for one in operations()}
    for response in operation.definition["responses"].values():
        for link in resolve(response).get("links", {}).values():
            target = by_id[link["operationId"]]
            there = {one["name"] for one in target.parameters}
            there |= {f"{one['in']}.{one['name']}" for one in target.parameters}
            assert set(link.get("parameters", {})) <= there
            for form in target.forms.values():
                assert set(link.get("requestBody", {})) <= set(form["properties"])


def test_what_is_created_can_be_read_changed_and_deleted_by_links() -> None:
    for created, noun in (("createTopic", "Topic"), ("createReply", "Reply")):
        [operation] = [one for one in operations() if one.definition["operationId"] == created]
        links = operation.definition["responses"]["201"]["links"].values()
        expected = {f"{verb}{noun}" for verb in ("read", "update", "delete")}
        assert expected <= {link["operationId"] for link in links}


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def test_every_component_is_used() -> None:
    used = set(_references(document()))
    parts = document()["components"]
    there = {
        f"#/components/{kind}/{name}"
        for kind in parts
        if kind != "securitySchemes"
        for name in parts[kind]
    }
    assert there - used == set()


def words(chapter: str, row: str, column: int) -> set[str]:
    """Return the words in code of a cell. row: how it begins; several such rows are one."""
    lines = [line for line in source(chapter).splitlines() if line.startswith(f"| {row}")]
    return {word for line in lines for word in re.findall(r"`([\w.]+)`", line.split("|")[column])}


def fields(schema: dict[str, Any]) -> set[str]:
    """Return the names of an object's properties."""
    own = set(schema.get("properties", {}))
    return own.union(*(fields(resolve(part)) for part in schema.get("allOf", [])))


@pytest.mark.parametrize("noun", ["user", "topic", "reply"])
def test_the_guide_names_each_field(noun: str) -> None:
    schemas = document()["components"]["schemas"]
    listed, alone = (
        fields(schemas[name]) - {"state"}
        for name in (f"Listed{noun.title()}", f"{noun.title()}WithAbilities")
    )
    assert words("requests", noun, 2) == listed
    assert words("requests", noun, 3) == alone - listed


def test_the_guide_names_each_type_of_topic_lists_notifications_and_events() -> None:
    schemas = document()["components"]["schemas"]
    topics = document()["paths"]["/api/v3/topics"]["get"]["parameters"][0]
    assert words("quick-start", "`", 1) - {"type"} == set(topics["schema"]["enum"])
    assert words("notifications", "`", 1) - {"type"} == set(schemas["NotificationType"]["enum"])
    named = set().union(
        *(words("webhooks", row, 2) for row in ("topics", "replies", "users", "the rest"))
    )
    assert named == set(schemas["EventType"]["enum"])
