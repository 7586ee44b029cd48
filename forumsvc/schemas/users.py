"""The parameters of the user endpoints."""

import colander

from ..models import PROFILE_TEXTS, Role, TextKind
from ..process.passwords import MAX_LENGTH
from ..services.accounts.accounts import MAX_EMAIL
from .fields import (
    Boolean,
    Choice,
    Line,
    Lines,
    Name,
    Password,
    Url,
    clearable,
    parameters,
    required,
)

_NAME = 100
_TYPES = {TextKind.LINE: Line, TextKind.LINES: Lines, TextKind.URL: Url}
_AVATAR = 2000  # a presigned URL is long
PROFILE_FORM = parameters(
    clearable("name", Name(0, _NAME)),
    *(clearable(text.name, _TYPES[text.kind](0, text.max_length)) for text in PROFILE_TEXTS),
    clearable("avatar", Line(0, _AVATAR)),
    colander.SchemaNode(Boolean(), name="email_public", missing=colander.drop),
    colander.SchemaNode(Line(0, MAX_EMAIL), name="email", missing=colander.drop),
    colander.SchemaNode(Password(0, MAX_LENGTH), name="password", missing=colander.drop),
)
"""Absent fields stay unchanged."""
ROLE_FORM = parameters(required("role", Choice(Role)))
