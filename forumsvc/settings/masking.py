"""Masking secrets in what is shown to an administrator."""

import re
from typing import Any

from .setting import Setting
from .setting_types import DATABASE_URL, OPTIONAL_DATABASE_URL, STORAGE

MASK = "********"
_PASSWORD = re.compile(r"^([a-z][a-z0-9+.-]*://[^:/@]*):.*@", re.IGNORECASE)
_PARAMETER = re.compile(r"([?&][^=&]*(?:password|secret)[^=&]*=)[^&]*", re.IGNORECASE)


def masked(setting: Setting, value: Any) -> str:
    """Return the value of a secret setting as it may be shown.

    A URL is shown without its password, an empty value as it is, anything else as a mask.
    """
    if setting.type in (DATABASE_URL, OPTIONAL_DATABASE_URL, STORAGE):
        return mask_url(str(value))
    return MASK if value else ""


def mask_url(url: str) -> str:
    """Return a URL with a mask in place of each password.

    A password may hold an unquoted `@` or `/`: everything up to the last `@` is masked.
    """
    return _PARAMETER.sub(rf"\1{MASK}", _PASSWORD.sub(rf"\1:{MASK}@", url))
