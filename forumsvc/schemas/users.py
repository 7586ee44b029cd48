"""The parameters of the user endpoints."""

from typing import Any

import colander

from ..passwords import MAX_LENGTH
from ..services.accounts import MAX_EMAIL
from .fields import Boolean, Line, Lines, Text, Url, clearable, parameters

_LINE = 100
_BIO = 2000
_URL = 255
_AVATAR = 2000  # a presigned URL is long


def profile_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of PUT /users/me; absent fields stay unchanged."""
    lines = ("name", "location", "company", "codehost", "microblog", "tagline")
    return parameters(
        *(clearable(line, Line(0, _LINE)) for line in lines),
        clearable("website", Url(0, _URL)),
        clearable("bio", Lines(0, _BIO)),
        clearable("avatar", Line(0, _AVATAR)),
        colander.SchemaNode(Boolean(), name="email_public", missing=colander.drop),
        colander.SchemaNode(Line(0, MAX_EMAIL), name="email", missing=colander.drop),
        colander.SchemaNode(Text(0, MAX_LENGTH), name="password", missing=colander.drop),
    )
