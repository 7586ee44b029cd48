"""The parameters of the user endpoints."""

from typing import Any

import colander

from .fields import Boolean, Line, Lines, Url, clearable, parameters

_LINE = 100
_BIO = 2000
_ADDRESS = 255
_PICTURE = 2000  # a bucket's signed address is long


def profile_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of PUT /users/me: what is left out stays as it is."""
    lines = ("name", "location", "company", "codehost", "microblog", "tagline")
    return parameters(
        *(clearable(line, Line(0, _LINE)) for line in lines),
        clearable("website", Url(0, _ADDRESS)),
        clearable("bio", Lines(0, _BIO)),
        clearable("avatar", Line(0, _PICTURE)),
        colander.SchemaNode(Boolean(), name="email_public", missing=colander.drop),
    )
