"""The description agrees with the code: endpoints, parameters, enums and permissions."""

import re
from typing import Any

import colander
import pytest

from forumsvc.permissions import WITHOUT_SCOPE, scope_of
from forumsvc.schemas import fields, lists
from forumsvc.schemas.accounts import REGISTRATION_FORM
from forumsvc.schemas.including import schema_of
from forumsvc.schemas.search import Date
from forumsvc.settings import Settings
from forumsvc.text.ids import MAX_ID
from tests.architecture.test_view_catalogue import endpoint_of
from tests.architecture.test_view_catalogue import views as views  # a fixture
from tests.cases import each
from tests.functional import access_matrix
from tests.openapi.operations import INI_SETTINGS, Operation, document, operations, resolve

SETTINGS = Settings(INI_SETTINGS)
BODY = ("post", "put", "patch")


def endpoint_described(operation: Operation) -> str:
    """Return the endpoint of an operation, in the same form; `me` is a user like others."""
    return row_of(operation).replace("/me", "/:id")


def row_of(operation: Operation) -> str:
    """Return the endpoint of an operation as the access matrix names it."""
    path = re.sub(r"\{\w+\}", ":id", operation.path.removeprefix("/api/v3"))
    return f"{operation.method.upper()} {path}"


def of_the_api(views: list[Any]) -> list[Any]:
    """Return the views of the API's tree."""
    return [view for view in views if view["route_name"] == "api"]


def view_of(operation: Operation, views: list[Any]) -> Any:
    """Return the view of an operation; for actions the one that refuses unknown ones."""
    endpoint = endpoint_described(operation)
    there = [one for one in of_the_api(views) if not one.get("action")]
    [view] = [one for one in there if endpoint_of(one) == endpoint]
    return view


# A closed registration is said before a wrong field, so the view reads the fields by itself.
READ_BY_THE_VIEW = {"openAccount": REGISTRATION_FORM}
EACH = each("operation", operations())


def test_every_view_has_an_operation_and_the_other_way_round(views):
    described = {endpoint_described(operation) for operation in operations()}
    assert {endpoint_of(view) for view in of_the_api(views)} == described


def test_the_actions_are_those_that_have_a_view(views):
    [operation] = [one for one in operations() if one.definition["operationId"] == "actOnTopic"]
    there = [view["action"] for view in views if view.get("action")]
    assert sorted(operation.query["type"]["schema"]["enum"]) == sorted(there)


@EACH
def test_parameters_are_those_of_the_views_schema(operation, views):
    schema = view_of(operation, views)["schema"] or READ_BY_THE_VIEW.get(
        operation.definition["operationId"]
    )
    nodes = {} if schema is None else {one.name: one for one in schema_of(schema, SETTINGS)}
    in_body = operation.method in BODY and schema is not None
    if operation.definition["operationId"] == "actOnTopic":
        assert set(operation.query) == {"type"}
        return
    assert set(operation.query) == (set() if in_body else set(nodes))
    assert bool(operation.forms) is in_body
    if in_body:
        for form in operation.forms.values():
            assert set(form["properties"]) == set(nodes)
            assert set(form.get("required", ())) == {n for n in nodes if nodes[n].required}
            for name, node in nodes.items():
                field, is_nullable = without_null(form["properties"][name])
                assert is_nullable is not node.required, name
                check_type(resolve(field), node)
        return
    for name, parameter in operation.query.items():
        assert parameter.get("required", False) is nodes[name].required
        schema = {**resolve(parameter["schema"]), **parameter["schema"]}
        check_type(schema, nodes[name])
        missing = nodes[name].missing
        default = None if missing is colander.required else missing
        assert schema.get("default") == default
        assert ("default" in schema) is (default is not None)


def without_null(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the schema of what is not null, and whether null is allowed."""
    match schema:
        case {"type": [kind, "null"]}:
            return {**schema, "type": kind}, True
        case {"oneOf": [field, {"type": "null"}]}:
            return field, True
    return schema, False


def check_type(schema: dict[str, Any], node: colander.SchemaNode) -> None:
    """Compare a described parameter with the field that validates it, in type and range."""
    kind = node.typ
    match kind:
        case fields.Integer():
            assert schema["type"] == "integer"
            assert (schema.get("minimum"), schema.get("maximum")) == (kind.minimum, kind.maximum)
        case fields.Text():
            assert schema["type"] == "string"
            limits = kind.min_length, kind.max_length
            assert (schema.get("minLength", 0), schema["maxLength"]) == limits
        case fields.Choice():
            assert (schema["type"], tuple(schema["enum"])) == ("string", kind.choices)
        case fields.Boolean():
            assert schema["type"] == "boolean"
        case lists.Ids():
            assert (schema["type"], schema["maxItems"]) == ("array", kind.max_count)
            assert schema["items"]["type"] == "integer"
        case lists.Choices():
            assert schema["type"] == "array"
            assert schema.get("minItems", 0) == (0 if kind.may_be_empty else 1)
            assert tuple(resolve(schema["items"])["enum"]) == kind.choices
        case fields.Moment():
            assert (schema["type"], schema["format"]) == ("string", "date-time")
        case Date():
            assert schema["type"] == "string"
        case fields.CursorField():
            assert (schema["type"], schema["maxLength"]) == ("string", kind.max_length)
        case fields.File():
            assert (schema["type"], schema["format"]) == ("string", "binary")
        case _:
            pytest.fail(f"{kind} is a type that this test does not know")


@EACH
def test_an_idempotency_key_is_described_where_a_view_takes_one(operation, views):
    headers = {one["name"]: one for one in operation.parameters if one["in"] == "header"}
    header = headers.get("Idempotency-Key")
    assert bool(header) is view_of(operation, views)["idempotent"]
    assert bool(header) is ("422" in operation.definition["responses"])


@EACH
def test_what_is_for_older_clients_alone_is_described_so(operation, views):
    name = view_of(operation, views).get("deprecated")
    assert operation.definition.get("deprecated", False) is (name is not None)
    assert name in (None, operation.definition["operationId"])


@EACH
def test_security_is_the_views_permission(operation, views):
    view = view_of(operation, views)
    is_public = any(
        row.cells.get("nobody") in ("ok", "no-join")
        for row in access_matrix.rows()
        if f"{row.method} {row.pattern}" == row_of(operation)
    )
    security = operation.definition["security"]
    assert ({} in security) is is_public
    if view["words"][0] in WITHOUT_SCOPE:
        assert security == [{}]
        return
    named = [one for one in security if one]
    schemes = document()["components"]["securitySchemes"].keys() - {"ClientBasic"}
    assert {scheme for one in named for scheme in one} == schemes
    assert {scope for one in named for scopes in one.values() for scope in scopes} == {
        str(scope_of(view["words"][0]))
    }


def test_an_id_of_a_path_is_one_that_the_database_can_hold():
    for operation in operations():
        for one in operation.parameters:
            if one["in"] == "path" and one["name"] not in ("user_id", "key"):
                assert (one["schema"]["minimum"], one["schema"]["maximum"]) == (1, MAX_ID)
