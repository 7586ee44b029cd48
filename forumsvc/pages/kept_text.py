"""What somebody wrote, kept where it cannot be saved: the login ended, or it was refused."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..errors import ForumError
from ..models import PROFILE_TEXTS
from ..text.ids import parse_id
from ..text.messages import Message
from ..web.api.request import ForumRequest

_LABELS = {
    "title": Message("Title"),
    "body": Message("Text"),
    "comment": Message("Comment"),
    "summary": Message("What it is for"),
    "name": Message("Name"),
    **{text.name: text.label for text in PROFILE_TEXTS},
}
"""Of the fields in which people write."""
_FORMS: tuple[tuple[re.Pattern[str], tuple[str, ...], tuple[str, ...]], ...] = (
    (
        re.compile(r"/topics/(new|[0-9]+/(edit|replies))|/replies/[0-9]+/edit"),
        ("title", "body"),
        ("node_id", "form_key", "seen", "held"),
    ),
    (re.compile(r"/(topics|replies|users)/[^/]+/report"), ("comment",), ("category",)),
    (
        re.compile(r"/settings/forum/(nodes|sections)/(new|[0-9]+)"),
        ("name", "summary"),
        ("section_id", "sort", "hidden_in_lists", "form_key", "seen"),
    ),
    (re.compile("/settings"), ("name", *(text.name for text in PROFILE_TEXTS)), ("email_public",)),
)
"""The paths of forms, their fields in which people write, and their other ones."""
_TOPIC = re.compile(r"/topics/([0-9]+)/")
_PREFIX = "kept_"
NEW_TOPIC = "topic-new"
"""The key of the draft of a new topic."""


@dataclass(frozen=True, slots=True)
class KeptText:
    """The fields of a form by name. path: where it was sent."""

    path: str
    texts: dict[str, str]
    hidden: dict[str, str]

    @property
    def topic_id(self) -> int | None:
        """The id of the topic whose page the form stands on; None elsewhere."""
        match = _TOPIC.match(self.path)
        return parse_id(match[1]) if match else None

    @property
    def draft_key(self) -> str | None:
        """The key of the draft of its form; None of a form that has none, as an edited post."""
        if "held" in self.hidden:
            return None
        if self.path == "/topics/new":
            return NEW_TOPIC
        is_reply = self.topic_id is not None and self.path.endswith("/replies")
        return reply_key(self.topic_id) if is_reply else None

    def labelled(self) -> Iterator[tuple[str, Message, str]]:
        """Yield the name, the label and the text of each field in which somebody wrote."""
        for name, text in self.texts.items():
            yield name, _LABELS[name], text


def reply_key(topic_id: int | str | None) -> str:
    """Return the key of the draft of a reply to a topic."""
    return f"reply-{topic_id}"


def written(request: ForumRequest) -> KeptText | None:
    """Return what was sent with the form of a post, a report or a profile; None for others."""
    if request.method != "POST":
        return None
    # Not `path_info`, which cannot be read where it is no UTF-8.
    return _fields(request, request.environ["PATH_INFO"], "")


def carried(request: ForumRequest) -> KeptText | None:
    """Return what a login form carried along, None where it carried nothing."""
    if request.method != "POST":  # a link must not put words into anybody's mouth
        return None
    return _fields(request, _text(request, f"{_PREFIX}path"), _PREFIX)


def hidden_fields(text: KeptText) -> dict[str, str]:
    """Return the hidden fields with which a login form carries a text along, by name."""
    fields = {"path": text.path, **text.texts, **text.hidden}
    return {f"{_PREFIX}{name}": value for name, value in fields.items()}


def digest_of(*texts: object) -> str:
    """Return a short digest of what a form shows, to see whether somebody changed it since."""
    return sha256("\0".join(map(str, texts)).encode()).hexdigest()[:16]


def _fields(request: ForumRequest, path: str, prefix: str) -> KeptText | None:
    names = next((names for pattern, *names in _FORMS if pattern.fullmatch(path)), [])
    try:
        parts = [
            {name: value for name in part if (value := _text(request, f"{prefix}{name}"))}
            for part in names
        ]
    except ForumError:  # the body is malformed
        return None
    return KeptText(path, *parts) if parts and parts[0] else None


def _text(request: ForumRequest, name: str) -> str:
    value: Any = request.parameters.get(name)
    return value if isinstance(value, str) else ""
