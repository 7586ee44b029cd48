"""What somebody wrote, kept where it cannot be saved: the login ended, or it was refused."""

import re
from hashlib import sha256
from typing import Any

from ..errors import ForumError
from ..web.api.request import ForumRequest

_WRITING = re.compile(r"/topics/(new|[0-9]+/(edit|replies))|/replies/[0-9]+/edit")
"""The paths of the forms of posts."""
_FIELDS = ("title", "node_id", "body", "form_key", "seen", "held")
_PREFIX = "kept_"


def written(request: ForumRequest) -> dict[str, str] | None:
    """Return the fields of the form of a post that was sent, None for other requests.

    `path`: where it was sent.
    """
    # Not `path_info`, which cannot be read where it is no UTF-8.
    path = request.environ["PATH_INFO"]
    if request.method != "POST" or not _WRITING.fullmatch(path):
        return None
    return _texts(request, path, "")


def carried(request: ForumRequest) -> dict[str, str] | None:
    """Return the fields that a login form carried along, None where it carried none."""
    if request.method != "POST":  # a link must not put words into anybody's mouth
        return None
    path = _text(request, f"{_PREFIX}path")
    return _texts(request, path, _PREFIX) if _WRITING.fullmatch(path) else None


def hidden_fields(kept: dict[str, str]) -> dict[str, str]:
    """Return the hidden fields with which a login form carries a text along, by name."""
    return {f"{_PREFIX}{name}": value for name, value in kept.items()}


def digest_of(*texts: object) -> str:
    """Return a short digest of what a form shows, to see whether somebody changed it since."""
    return sha256("\0".join(map(str, texts)).encode()).hexdigest()[:16]


def _texts(request: ForumRequest, path: str, prefix: str) -> dict[str, str] | None:
    try:
        found = {name: _text(request, f"{prefix}{name}") for name in _FIELDS}
    except ForumError:  # the body is malformed
        return None
    kept = {name: value for name, value in found.items() if value}
    return {**kept, "path": path} if "body" in kept else None


def _text(request: ForumRequest, name: str) -> str:
    value: Any = request.parameters.get(name)
    return value if isinstance(value, str) else ""
