"""The parameters of the user endpoints."""

from typing import Any

import colander

from ..models import PROFILE_TEXTS, TextKind
from ..passwords import MAX_LENGTH
from ..services.accounts import MAX_EMAIL
from .fields import Boolean, Line, Lines, Text, Url, clearable, parameters

_NAME = 100
_TYPES = {TextKind.LINE: Line, TextKind.LINES: Lines, TextKind.URL: Url}
_AVATAR = 2000  # a presigned URL is long


def profile_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of PUT /users/me; absent fields stay unchanged."""
    return parameters(
        clearable("name", Line(0, _NAME)),
        *(clearable(text.name, _TYPES[text.kind](0, text.max_length)) for text in PROFILE_TEXTS),
        clearable("avatar", Line(0, _AVATAR)),
        colander.SchemaNode(Boolean(), name="email_public", missing=colander.drop),
        colander.SchemaNode(Line(0, MAX_EMAIL), name="email", missing=colander.drop),
        colander.SchemaNode(Text(0, MAX_LENGTH), name="password", missing=colander.drop),
    )
