"""The description of the keyed shape: valid OpenAPI, complete, with correct examples, and derived
from the bare one.
"""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from forumsvc.openapi import Description
from forumsvc.openapi.keyed_names import ALIASES, ERROR_KINDS, GRADES
from forumsvc.permissions import USER_ABILITIES, USER_SUMMARY_ABILITIES
from forumsvc.settings import Settings
from tests.cases import each
from tests.openapi.operations import INI_SETTINGS, METHODS, document, resolve

KEYED = "keyed"
OPERATIONS = [
    pytest.param(item[method], id=f"{method.upper()} {path}")
    for path, item in document(KEYED)["paths"].items()
    for method in METHODS
    if method in item
]


def component(name: str) -> dict[str, Any]:
    """Return a schema of the description."""
    found: dict[str, Any] = document(KEYED)["components"]["schemas"][name]
    return found


def test_the_document_is_valid_openapi() -> None:
    errors = OpenAPIV31SpecValidator(document(KEYED)).iter_errors()
    assert [error.message for error in errors] == []


def test_a_keyed_service_serves_it() -> None:
    import json

    served = Description(Settings({**INI_SETTINGS, "api.envelope": KEYED}))
    assert json.loads(served.json.body) == document(KEYED) != document()


def test_operations_and_parameters_are_those_of_the_bare_shape() -> None:
    # The list of topics takes any `type` here.
    kind = document(KEYED)["paths"]["/api/v3/topics"]["get"]["parameters"][0]
    assert (kind["name"], "enum" in kind["schema"]) == ("type", False)
    parts = ("operationId", "requestBody", "security", "tags")
    for path, item in document()["paths"].items():
        other = document(KEYED)["paths"][path]
        assert other.keys() == item.keys()
        for method in item.keys() & set(METHODS):
            for part in parts:
                assert other[method].get(part) == item[method].get(part), path
            names = [resolve(one)["name"] for one in item[method].get("parameters", ())]
            definition = other[method].get("parameters", ())
            assert [resolve(one, KEYED)["name"] for one in definition] == names


@each("operation", OPERATIONS)
def test_every_status_has_an_example_that_is_of_its_schema_and_nothing_is_201(
    operation: dict[str, Any],
) -> None:
    assert "201" not in operation["responses"]
    for status, response in operation["responses"].items():
        definition = resolve(response, KEYED)
        if status == "304":
            continue
        [content] = definition["content"].values()
        examples = [resolve(one, KEYED)["value"] for one in content.get("examples", {}).values()]
        examples += [content["example"]] if "example" in content else []
        assert examples
        whole = {**content["schema"], "components": document(KEYED)["components"]}
        for example in examples:
            jsonschema_rs.validator_for(whole).validate(example)


@each("operation", OPERATIONS)
def test_links_find_their_values_in_the_examples(operation: dict[str, Any]) -> None:
    response = resolve(operation["responses"].get("200", {}), KEYED)
    if "links" not in response:
        return
    # A held post, which may follow, has no links.
    example, *_ = response["content"]["application/json"]["examples"].values()
    for expression in _expressions(response["links"]):
        found = example["value"]
        for step in expression.removeprefix("$response.body#/").split("/"):
            found = found[int(step) if step.isdigit() else step]


def _expressions(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _expressions(inner)
    elif isinstance(value, str) and value.startswith("$response.body#/"):
        yield value


def test_every_component_is_used() -> None:
    text = str(document(KEYED))
    parts = document(KEYED)["components"]
    unused = [
        name
        for kind in parts
        if kind != "securitySchemes"
        for name in parts[kind]
        if f"'#/components/{kind}/{name}'" not in text
    ]
    assert unused == []


def test_words_are_those_of_the_code() -> None:
    error = component("Error")["properties"]["error"]
    assert error["enum"] == sorted({*ERROR_KINDS.values()})
    assert component("Topic")["properties"]["grade"]["enum"] == [*GRADES]
    assert component("UserDetail")["allOf"][1]["properties"].keys() >= ALIASES.keys()
    summary = component("UserSummaryAbilities")["required"]
    assert summary == [str(word) for word in USER_SUMMARY_ABILITIES]
    full = {*map(str, USER_ABILITIES), *summary}
    assert {*component("UserAbilities")["required"]} == full
