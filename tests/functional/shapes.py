"""The serializers of the API description: their exact keys, and the format of times."""

import re
from typing import Any

USER = {"id", "login", "name", "avatar_url"}
USER_DETAIL = USER | {
    "location",
    "company",
    "codehost",
    "microblog",
    "website",
    "bio",
    "tagline",
    "email",
    "topics_count",
    "replies_count",
    "following_count",
    "followers_count",
    "favorites_count",
    "level",
    "level_name",
    "created_at",
}
TOPIC = {
    "id",
    "title",
    "node_name",
    "node_id",
    "excellent",
    "deleted",
    "replies_count",
    "likes_count",
    "last_reply_user_id",
    "last_reply_user_login",
    "user",
    "replied_at",
    "created_at",
    "updated_at",
}
TOPIC_DETAIL = TOPIC | {"closed_at", "body", "body_html", "hits"}
REPLY = {
    "id",
    "body_html",
    "topic_id",
    "deleted",
    "likes_count",
    "user",
    "created_at",
    "updated_at",
}
REPLY_DETAIL = REPLY | {"topic_title", "body"}
NODE = {
    "id",
    "name",
    "summary",
    "section_id",
    "section_name",
    "topics_count",
    "sort",
    "updated_at",
}
NOTIFICATION = {
    "id",
    "type",
    "read",
    "actor",
    "mention_type",
    "mention",
    "topic",
    "reply",
    "node",
    "created_at",
    "updated_at",
}
ABILITIES = {
    "topic": {
        "update",
        "destroy",
        "ban",
        "unban",
        "normal",
        "excellent",
        "unexcellent",
        "close",
        "open",
        "reply",
    },
    "reply": {"update", "destroy"},
    "user": {"follow", "block", "update"},
}

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def is_time(value: Any) -> bool:
    """Return whether a value is RFC 3339 in UTC with milliseconds."""
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


def has_shape(shown: dict[str, Any], keys: set[str]) -> bool:
    """Return whether an object has exactly these keys; checks its users and times, too."""
    times = (value for key, value in shown.items() if key.endswith("_at") and value is not None)
    users = (shown[key] for key in ("user", "actor") if key in keys)
    return set(shown) == keys and all(map(is_time, times)) and all(set(u) == USER for u in users)
