"""The only place where outside text becomes a whole number.

`int()` alone takes Arabic digits, underscores and blanks, and knows no bound.
"""

import re

_DIGITS = re.compile(r"[0-9]{1,19}", re.ASCII)
_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
MAX_ID = 2**63 - 1
_MAX_LENGTH = 40


def parse_id(text: str) -> int | None:
    """Return the id that a path segment or parameter names, or None where it cannot be one."""
    if not _DIGITS.fullmatch(text):
        return None
    number = int(text)
    return number if 0 < number <= MAX_ID else None


def parse_whole(text: str) -> int | None:
    """Return the integer that `text` writes in plain ASCII digits, or None.

    Text of more than 40 characters is no number to us (parsing time grows with its square).
    """
    if len(text) > _MAX_LENGTH or not _WHOLE.fullmatch(text):
        return None
    return int(text)
