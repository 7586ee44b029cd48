"""The parameters of the user endpoints."""

from typing import Any

import colander

from ..models import MAIL_PACES, PROFILE_TEXTS, Role, TextKind
from ..process.passwords import MAX_LENGTH
from ..services.accounts.accounts import MAX_EMAIL
from ..text.languages import LANGUAGES
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


class Locale(Choice):
    """A language; an empty text is None, that of the site."""

    def parse(self, node: Any, value: Any) -> Any:
        return None if value == "" else super().parse(node, value)


PROFILE_FORM = parameters(
    clearable("name", Name(0, _NAME)),
    *(clearable(text.name, _TYPES[text.kind](0, text.max_length)) for text in PROFILE_TEXTS),
    clearable("avatar", Line(0, _AVATAR)),
    clearable("locale", Locale(LANGUAGES)),
    colander.SchemaNode(Boolean(), name="email_public", missing=colander.drop),
    colander.SchemaNode(Line(0, MAX_EMAIL), name="email", missing=colander.drop),
    colander.SchemaNode(Password(0, MAX_LENGTH), name="password", missing=colander.drop),
)
"""Absent fields stay unchanged."""
MAIL_FORM = parameters(*(clearable(about, Choice(paces)) for about, paces in MAIL_PACES.items()))
"""Absent fields stay unchanged."""
LOCALE_FORM = parameters(clearable("locale", Locale(LANGUAGES)))
ROLE_FORM = parameters(required("role", Choice(Role)))
