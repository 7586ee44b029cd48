"""Building the description from its YAML files. `tags.py` has what may stand in them."""

import json
from copy import deepcopy
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

from ..models import PROFILE_TEXTS, TextKind
from ..settings import Settings
from .deprecations import SINCE
from .keyed import to_keyed
from .keyed_names import API
from .tags import JSON, MESSAGES, Address, Loader, Setting, parameter_ref
from .unused import remove_unused

_READ_FAILURES = {
    "400": "BadRequest",
    "401": "Unauthorized",
    "403": "Forbidden",
    "429": "TooManyRequests",
    "500": "ServerError",
    "503": "Unavailable",
}
_WRITE_FAILURES = {**_READ_FAILURES, "413": "PayloadTooLarge", "415": "UnsupportedMediaType"}
_OF_ALL = ("RequestId", "Prefer")
"""The parameters that every operation of the API has."""
_COMMON_HEADERS = {
    "RateLimit-Policy": "RateLimitPolicy",
    "RateLimit": "RateLimit",
    "Preference-Applied": "PreferenceApplied",
}
"""Headers that every response may have: header name -> component name."""
_PATTERNS = {
    TextKind.LINE: r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$",
    TextKind.LINES: r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$",
    TextKind.URL: r"^(https?://[a-z0-9]([a-z0-9\-.]*[a-z0-9])?(:[0-9]{1,4})?(/[!-Z_a-z~]*)?)?$",
}
"""What may stand in a text of a profile."""
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_METHODS = frozenset({"get", "put", "post", "patch", "delete"})


def describe(
    settings: Settings, url: str = "", *, webhooks: bool = True, forms: bool = False
) -> dict[str, Any]:
    """Return the description of a service with these settings, in the shape of its responses.

    url: where the service is, for an empty `site.url`; webhooks: whether to describe what their
    receivers get; forms: whether to describe that bodies may be forms, too.
    """
    document: dict[str, Any] = _with_settings(_load(), settings, settings["site.url"] or url)
    if not webhooks:
        del document["webhooks"]
        document["tags"] = [tag for tag in document["tags"] if tag["name"] != MESSAGES]
    _add_objects_of_events(document["components"]["schemas"])
    for parameter in document["components"]["parameters"].values():
        _allow_empty(parameter)
    for path_name, path in document["paths"].items():
        if path_name.startswith(API):
            path["parameters"] = [*path.get("parameters", ()), *map(parameter_ref, _OF_ALL)]
            for method in _METHODS & path.keys():
                _complete(path[method], method, document["components"]["responses"], forms=forms)
    _add_common_headers(document["components"]["responses"])
    if settings["api.envelope"] == "keyed":
        to_keyed(document)
    _add_problems(document)
    remove_unused(document)
    return document


def _add_problems(document: dict[str, Any]) -> None:
    """Say of each error of the API that it may be a problem, too."""
    for response in document["components"]["responses"].values():
        content = response.get("content", {})
        if content.get(JSON, {}).get("schema") == {"$ref": "#/components/schemas/Error"}:
            content["application/problem+json"] = {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {"problem": {"$ref": "#/components/examples/Problem"}},
            }


def _complete(
    operation: dict[str, Any], method: str, components: dict[str, Any], *, forms: bool
) -> None:
    """Add to an operation of the API what all have. components: the shared responses."""
    for parameter in operation.get("parameters", ()):
        _allow_empty(parameter)
    body = operation.get("requestBody", {}).get("content", {})
    if forms and JSON in body:
        body.update(dict.fromkeys(_FORMS, body[JSON]))
    failures = _READ_FAILURES if method == "get" else _WRITE_FAILURES
    responses = {
        status: {"$ref": f"#/components/responses/{name}"} for status, name in failures.items()
    }
    operation["responses"] = {**responses, **operation["responses"]}
    if operation["operationId"] in SINCE:
        operation["deprecated"] = True
        _add_header(operation["responses"], "Deprecation", "Deprecation", components)
    success = operation["responses"].get("200", {})
    if method == "get" and "application/octet-stream" not in success.get("content", {}):
        _make_conditional(operation, components)
    elif method != "delete" and parameter_ref("IfMatch") in operation.get("parameters", ()):
        _add_header(operation["responses"], "ETag", "NewETag", components)
    operation["responses"] = dict(sorted(operation["responses"].items()))
    _add_common_headers(operation["responses"])


def _add_objects_of_events(schemas: dict[str, Any]) -> None:
    """Add copies of what events show, which have the plain shape in a keyed service, too."""
    for name in ("User", "Topic", "Reply"):
        text = json.dumps(schemas[name]).replace('schemas/User"', 'schemas/EventUser"')
        schemas[f"Event{name}"] = json.loads(text)


def _allow_empty(parameter: dict[str, Any]) -> None:
    """Say that an empty optional parameter of a query counts as missing."""
    if parameter.get("in") == "query" and not parameter.get("required"):
        parameter["allowEmptyValue"] = True


def _add_common_headers(responses: dict[str, Any]) -> None:
    for response in responses.values():
        if "$ref" not in response:
            headers = response.setdefault("headers", {})
            for header, name in _COMMON_HEADERS.items():
                headers[header] = {"$ref": f"#/components/headers/{name}"}


def _make_conditional(operation: dict[str, Any], components: dict[str, Any]) -> None:
    """Add the ETag, If-None-Match and the 304 to an operation."""
    _add_header(operation["responses"], "ETag", "ETag", components)
    operation["responses"]["304"] = {"$ref": "#/components/responses/NotModified"}
    operation["parameters"] = [*operation.get("parameters", []), parameter_ref("IfNoneMatch")]


def _add_header(
    responses: dict[str, Any], header: str, name: str, components: dict[str, Any]
) -> None:
    """Add a header to a success, which may be a shared response. name: among the components."""
    success = responses["200"]
    if "$ref" in success:
        success = deepcopy(components[success["$ref"].rpartition("/")[2]])
    headers = {header: {"$ref": f"#/components/headers/{name}"}, **success.get("headers", {})}
    responses["200"] = {**success, "headers": headers}


@cache
def _load() -> dict[str, Any]:
    """Return all files as one document, in which the tags for settings are not yet resolved."""
    document: dict[str, Any] = {}
    for file in _yaml_files(files(__package__)):
        _merge(document, yaml.load(file.read_text(encoding="utf-8"), Loader), file.name)  # noqa: S506
    _add_profile_texts(document["components"])
    for event, item in document["webhooks"].items():
        item["post"]["operationId"] = "receive" + event.title().replace(".", "").replace("_", "")
    for name, schema in document["components"]["schemas"].items():
        if name.endswith("Form"):
            _accept_null(schema)
    return document


def _accept_null(form: dict[str, Any]) -> None:
    """Say that null means that an optional field is missing."""
    required, fields = form.get("required", ()), form["properties"]
    form["properties"] = {
        name: field if name in required else _or_null(field) for name, field in fields.items()
    }


def _or_null(field: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in field:
        return {**field, "type": [field["type"], "null"]}
    rest = {key: value for key, value in field.items() if key != "$ref"}
    return {"oneOf": [{"$ref": field["$ref"]}, {"type": "null"}], **rest}


def _add_profile_texts(components: dict[str, Any]) -> None:
    """Add the texts of a profile to the user in full, to the form, and to the example."""
    shown = components["schemas"]["UserDetail"]["allOf"][1]
    form = components["schemas"]["ProfileForm"]
    for text in PROFILE_TEXTS:
        description = {"description": text.help} if text.help else {}
        shown["properties"][text.name] = {"type": "string", **description}
        shown["required"].append(text.name)
        limits = {"maxLength": text.max_length, "pattern": _PATTERNS[text.kind]}
        form["properties"][text.name] = {"type": "string", **limits, **description}
        components["examples"]["User"]["value"].setdefault(text.name, "")


def _yaml_files(folder: Traversable) -> list[Traversable]:
    entries = sorted(folder.iterdir(), key=lambda entry: (entry.is_dir(), entry.name))
    nested = [file for entry in entries if entry.is_dir() for file in _yaml_files(entry)]
    return [entry for entry in entries if entry.name.endswith(".yaml")] + nested


def _merge(into: dict[str, Any], other: dict[str, Any], where: str) -> None:
    for key, value in other.items():
        if key not in into:
            into[key] = value
        elif isinstance(value, dict) and isinstance(into[key], dict):
            _merge(into[key], value, where)
        else:
            raise ValueError(f"{where}: {key} is described twice")


def _with_settings(value: Any, settings: Settings, url: str) -> Any:
    """Return a copy with the values of the settings; each use of an anchor gets its own copy."""
    match value:
        case Setting(name=name):
            return settings[name]
        case Address(path=path):
            return (url + path).removesuffix("/") or "/"
        case dict():
            return {key: _with_settings(inner, settings, url) for key, inner in value.items()}
        case list():
            return [_with_settings(inner, settings, url) for inner in value]
    return value


API_VERSION: str = _load()["info"]["version"]
"""The version of the API."""
