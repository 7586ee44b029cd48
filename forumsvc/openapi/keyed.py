"""The description of the keyed shape: the bare document, changed as its envelope does."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from .keyed_examples import complete
from .keyed_names import ALIASES, API, ERROR_KINDS, GRADES, SHAPE, error_kind, list_name
from .words import words_schema

Schema = dict[str, Any]

_REF = "#/components/schemas/"
_SUCCESS = {"200": "200", "201": "200", "202": "202"}
"""The status of a success in the bare shape, and in the keyed one."""
_HELD = {"$ref": "#/components/responses/Held"}
_DETAILS = {
    # schema of the bare shape: (key of the resource, schema of the caller's state)
    "UserWithAbilities": ("user", "UserState"),
    "TopicWithAbilities": ("topic", "TopicRelations"),
    "ReplyWithAbilities": ("reply", None),
    "NodeWithAbilities": ("node", None),
    "Section": ("section", None),
    "Webhook": ("webhook", None),
    "WebhookWithSecret": ("webhook", None),
    "Report": ("report", None),
    "ReviewWithDetails": ("review", None),
    "HeldPost": ("held_post", None),
    "AccessBlock": ("access_block", None),
    "DataExport": ("export", None),
    "Site": ("site", None),
    "SiteWithTexts": ("site", None),
    "Draft": ("draft", None),
    "MailChoices": ("mail", None),
}
_WORDS: dict[str, Iterable[str]] = {
    "ErrorKind": sorted({*ERROR_KINDS.values()}),
    "Grade": GRADES,
}
"""The words that only this shape has, by the names of their schemas."""
_NOTHING: Schema = {"type": ["string", "null"], "description": "Always null."}
"""What is always null; not every generator knows the type of nothing else."""
_BODY = "$response.body#/"


def to_keyed(document: Schema) -> None:
    """Change the description of the bare shape to that of the keyed one."""
    components = document["components"]
    _change_schemas(components["schemas"])
    paths = {path: item for path, item in document["paths"].items() if path.startswith(API)}
    statuses = _failure_statuses(paths)
    for name, response in components["responses"].items():
        if name in statuses:
            _set_error_kind(response, statuses[name])
    for path, item in paths.items():
        for operation in item.values():
            if isinstance(operation, dict) and "responses" in operation:
                _change_operation(operation, path, components)
    document["info"]["description"] = _paragraphs(document["info"]["description"])


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "required": [*properties], "properties": properties}


def _ref(name: str) -> Schema:
    return {"$ref": _REF + name}


def _add(schema: Schema, properties: Schema) -> None:
    schema["properties"] = {**schema["properties"], **properties}
    schema["required"] = [*dict.fromkeys([*schema.get("required", ()), *properties])]


def _remove(schema: Schema, *names: str) -> None:
    for name in names:
        del schema["properties"][name]
        schema["required"].remove(name)


def _change_schemas(schemas: Schema) -> None:
    """Add the fields that the keyed envelope adds to resources."""
    schemas |= {name: words_schema(words) for name, words in _WORDS.items()}
    boolean: Schema = {"type": "boolean"}
    text: Schema = {"type": "string"}
    schemas["Error"] = _object(
        error=_ref("ErrorKind"),
        message={"type": "string", "minLength": 1, "description": "What is wrong, in words."},
    )
    # An embedded user has fewer abilities than a full one; both have the fields of the summary.
    schemas["UserSummary"] = schemas["User"]
    schemas["UserSummaryAbilities"] = {
        **_object(update=boolean, destroy=boolean),
        "description": "What the token's user may do with the user.",
    }
    schemas["User"] = {
        "allOf": [_ref("UserSummary"), _object(abilities=_ref("UserSummaryAbilities"))]
    }
    schemas["UserDetail"]["allOf"][0] = _ref("UserSummary")
    _add(schemas["UserAbilities"], {"destroy": boolean})
    _add(
        schemas["UserDetail"]["allOf"][1],
        {new: {**text, "description": f"An alias of `{old}`."} for new, old in ALIASES.items()},
    )
    when = schemas["TopicDetail"]["allOf"][1]["properties"]["closed_at"]
    _remove(schemas["TopicDetail"]["allOf"][1], "closed_at", "hits")
    _remove(schemas["TopicWithAbilities"]["allOf"][1], "abilities")
    del schemas["TopicWithAbilities"]["allOf"][1]["required"]
    _add(
        schemas["Topic"],
        {
            "excellent": {"type": "integer", "enum": [0, 1], "description": "1 if it is featured."},
            "closed_at": when,
            "hits": _ref("Number"),
            "grade": _ref("Grade"),
            "suggested_at": {
                **_ref("MomentOrNull"),
                "description": "Since when it is pinned; null while it is not.",
            },
            "abilities": _ref("TopicAbilities"),
        },
    )
    listed: Schema = {
        "action": {**_NOTHING, "description": "Always null: a user wrote the reply."},
        "abilities": _ref("ReplyAbilities"),
    }
    body = schemas["ReplyDetail"]["allOf"][1]["properties"]["body"]
    for name, item in (("ListedReply", {"body": body, **listed}), ("ListedReplyDetail", listed)):
        _add(schemas[name]["allOf"][1], item)
    schemas["Hello"] = _object(
        user=_ref("UserWithAbilities"),
        **schemas["Hello"]["properties"],
        meta=_object(time=_ref("Moment")),
    )
    schemas["LikesCount"] = _object(
        obj_type=_ref("Likeable"), obj_id=_ref("Id"), **schemas["Count"]["properties"]
    )
    for name, (key, state) in _DETAILS.items():
        meta = {"type": "object"} if state is None else _ref(state)
        schemas[_answer(name)] = _object(**{key: _ref(name), "meta": meta})


def _failure_statuses(paths: Schema) -> dict[str, int]:
    """Return the status of each shared error response, by component name."""
    return {
        response["$ref"].rpartition("/")[2]: int(status)
        for item in paths.values()
        for operation in item.values()
        if isinstance(operation, dict)
        for status, response in operation.get("responses", {}).items()
        if "$ref" in response and status >= "400"
    }


def _set_error_kind(response: Schema, status: int) -> None:
    for content in response["content"].values():
        message = content["example"]["error"]
        content["example"] = {"error": error_kind(status), "message": message}


def _change_operation(operation: Schema, path: str, components: Schema) -> None:
    responses = operation["responses"]
    if operation["operationId"] == "listTopics":
        # An unknown value means the default.
        del operation["parameters"][0]["schema"]["enum"]
    if may_be_held := responses.get("202") == _HELD:
        del responses["202"]
    for status, keyed_status in _SUCCESS.items():
        if status not in responses:
            continue
        response = responses.pop(status)
        if "$ref" in response:
            response = deepcopy(components["responses"][response["$ref"].rpartition("/")[2]])
        content = response.get("content", {}).get("application/json")
        if content is not None:
            key = _change_content(content, operation, path, components)
            if key is not None:
                response = _with_links(response, key)
        responses[keyed_status] = response
    if may_be_held:
        _add_held(responses["200"], operation, components)
    operation["responses"] = dict(sorted(responses.items()))


def _change_content(
    content: Schema, operation: Schema, path: str, components: Schema
) -> str | None:
    """Wrap a successful response; return the key that the bare one is under, or None."""
    schema, key = content["schema"], None
    component = schema.get("$ref", "").rpartition("/")[2]
    meta: Schema | None = None
    if schema.get("type") == "array":
        key = list_name(path)
        meta = _list_meta(operation["operationId"])
        answer = _object(**{key: schema}, **({} if meta is None else {"meta": meta}))
        content["schema"] = _named(operation, answer, components)
    elif component in _DETAILS:
        key = _DETAILS[component][0]
        content["schema"] = _ref(_answer(component))
    elif component == "Count" and operation["tags"] == ["Likes"]:
        content["schema"] = _ref("LikesCount")
    _change_examples(content, key, components)
    return key


def _named(operation: Schema, answer: Schema, components: Schema) -> Schema:
    """Add the schema of an operation's answer to the components; return the reference to it."""
    identifier = operation["operationId"]
    name = f"{identifier[0].upper()}{identifier[1:]}Answer"
    components["schemas"][name] = answer
    return _ref(name)


def _add_held(response: Schema, operation: Schema, components: Schema) -> None:
    """Describe that a creation can be answered with a held post in `meta`.

    As one object: of a choice between two, generators make an object with the fields of the last.
    """
    schemas = components["schemas"]
    content = response["content"]["application/json"]
    usual = schemas[content["schema"]["$ref"].removeprefix(_REF)]["properties"]
    key, other = ("topic", "reply") if "topic" in usual else ("reply", "topic")
    state = schemas.get(usual["meta"].get("$ref", "").removeprefix(_REF), {})
    meta = {**state.get("properties", {}), "held": _ref("HeldPost")}
    answer = _object(
        **{key: {"oneOf": [usual[key], {"type": "null"}]}},
        meta={"type": "object", "properties": meta},
    )
    answer["properties"][other] = _NOTHING
    content["schema"] = _named(operation, answer, components)
    shown = components["examples"]["HeldAnswer"]["value"]
    content["examples"]["held"] = {"value": {"topic": None, "reply": None, "meta": shown}}
    location = {**components["headers"]["Location"], "required": False}
    response["headers"] = {**response["headers"], "Location": location}
    response["description"] += (
        " Or it waits for a moderator before it is published: then it is `null`, and `meta.held` "
        "is the held post."
    )


def _answer(component: str) -> str:
    """Return the name of the schema of a resource under its name."""
    return f"{component.removesuffix('WithAbilities')}Answer"


def _list_meta(operation_id: str) -> Schema | None:
    if operation_id in ("listNodes", "listMutedNodes"):
        return _object(total=_ref("Number"))
    if operation_id in ("searchTopics", "searchReplies"):
        return _object(query=_ref("UnderstoodQuery"))
    if operation_id == "listTopicReplies":
        return _object(user_liked_reply_ids={"type": "array", "items": _ref("Id")})
    return None


def _change_examples(content: Schema, key: str | None, components: Schema) -> None:
    examples = content.pop("examples", None) or {"example": {"value": content.pop("example")}}
    content["examples"] = {}
    for name, example in examples.items():
        shared = components.get("examples", {})
        if "$ref" in example:
            example = shared[example["$ref"].rpartition("/")[2]]
        value = example["value"] if key is None else {key: example["value"]}
        done = complete(deepcopy(value), content["schema"], components["schemas"])
        content["examples"][name] = {"value": done}


def _with_links(response: Schema, key: str) -> Schema:
    """Return the response with links that find their values under the key."""

    def moved(value: Any) -> Any:
        if isinstance(value, str) and value.startswith(_BODY):
            return f"{_BODY}{key}/{value.removeprefix(_BODY)}"
        if isinstance(value, dict):
            return {name: moved(inner) for name, inner in value.items()}
        return value

    links = response.get("links")
    return response if links is None else {**response, "links": moved(links)}


def _paragraphs(text: str) -> str:
    """Return the introduction with another last paragraph, the one about the shape."""
    paragraphs = text.split("\n\n")
    return "\n\n".join([*paragraphs[:-1], SHAPE])
