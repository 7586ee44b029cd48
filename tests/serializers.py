"""The serializers of the API description: every field with its exact name and type."""

import re
from typing import Any

INTEGER, STRING, BOOLEAN, DATETIME, ADDRESS = "Integer", "String", "Boolean", "DateTime", "Address"
OBJECT = "Object"
USER = "UserSerializer"

_USER = {"id": INTEGER, "login": STRING, "name": STRING, "avatar_url": ADDRESS}
_TOPIC = {
    "id": INTEGER,
    "title": STRING,
    "node_name": STRING,
    "node_id": INTEGER,
    "excellent": BOOLEAN,
    "deleted": BOOLEAN,
    "replies_count": INTEGER,
    "likes_count": INTEGER,
    "last_reply_user_id": f"{INTEGER}?",
    "last_reply_user_login": f"{STRING}?",
    "user": USER,
    "replied_at": f"{DATETIME}?",
    "created_at": DATETIME,
    "updated_at": DATETIME,
}
_REPLY = {
    "id": INTEGER,
    "body_html": STRING,
    "topic_id": INTEGER,
    "deleted": BOOLEAN,
    "likes_count": INTEGER,
    "user": USER,
    "created_at": DATETIME,
    "updated_at": DATETIME,
}
SERIALIZERS: dict[str, dict[str, str]] = {
    "UserSerializer": _USER,
    "UserDetailSerializer": {
        **_USER,
        **dict.fromkeys(
            ("location", "company", "codehost", "microblog", "website", "bio", "tagline", "email"),
            STRING,
        ),
        "unconfirmed_email": f"{STRING}?",
        "topics_count": INTEGER,
        "replies_count": INTEGER,
        "following_count": INTEGER,
        "followers_count": INTEGER,
        "favorites_count": INTEGER,
        "level": STRING,
        "level_name": STRING,
        "restriction": f"{OBJECT}?",
        "created_at": DATETIME,
    },
    "TopicSerializer": _TOPIC,
    "TopicDetailSerializer": {
        **_TOPIC,
        "closed_at": f"{DATETIME}?",
        "body": STRING,
        "body_html": STRING,
        "hits": INTEGER,
    },
    "ReplySerializer": _REPLY,
    "ReplyDetailSerializer": {**_REPLY, "topic_title": STRING, "body": STRING},
    "NodeSerializer": {
        "id": INTEGER,
        "name": STRING,
        "summary": STRING,
        "section_id": f"{INTEGER}?",
        "section_name": f"{STRING}?",
        "topics_count": INTEGER,
        "sort": INTEGER,
        "updated_at": DATETIME,
    },
    "NotificationSerializer": {
        "id": INTEGER,
        "type": STRING,
        "read": BOOLEAN,
        "actor": USER,
        "mention_type": f"{STRING}?",
        "created_at": DATETIME,
        "updated_at": DATETIME,
        # Beyond the description: what a client needs to show one.
        "mention": "ReplySerializer|TopicSerializer?",
        "topic": "TopicSerializer?",
        "reply": "ReplySerializer?",
        "node": "NodeSerializer?",
    },
}
"""Field by field; a `?` at the end: null where it is absent."""

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_CHECKS: dict[str, Any] = {
    INTEGER: lambda value: type(value) is int,
    STRING: lambda value: isinstance(value, str),
    BOOLEAN: lambda value: type(value) is bool,
    DATETIME: lambda value: isinstance(value, str) and _RFC3339.fullmatch(value),
    OBJECT: lambda value: isinstance(value, dict),
    ADDRESS: lambda value: isinstance(value, str) and value.startswith(("http://", "https://")),
}


def find_errors(
    value: Any, serializer: str, *, extra_keys: frozenset[str] = frozenset()
) -> list[str]:
    """Return the errors of an object that should have this serializer's form, as text.

    extra_keys: keys besides the fields (`abilities`).
    """
    if not isinstance(value, dict):
        return [f"{serializer}: not an object, but {value!r}"]
    fields = SERIALIZERS[serializer]
    found = [f"{serializer}.{key} is missing" for key in fields if key not in value]
    found += [
        f"{serializer} has {key}" for key in value if key not in fields and key not in extra_keys
    ]
    for key, kind in fields.items():
        if key in value:
            found += [f"{serializer}.{key}: {text}" for text in _wrong_value(value[key], kind)]
    return found


def _wrong_value(value: Any, kind: str) -> list[str]:
    if kind.endswith("?"):
        return [] if value is None else _wrong_value(value, kind[:-1])
    if "|" in kind:
        tried = [_wrong_value(value, one) for one in kind.split("|")]
        return [] if [] in tried else tried[0]
    if kind in SERIALIZERS:
        return find_errors(value, kind)
    return [] if _CHECKS[kind](value) else [f"{value!r} is no {kind}"]
