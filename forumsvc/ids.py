"""The only place where outside text becomes a whole number.

`int()` alone takes Arabic digits, underscores and blanks, and knows no bound.
"""

import re

_ID = re.compile(r"[0-9]{1,19}", re.ASCII)
_WHOLE = re.compile(r"(-?)0*([0-9]+)", re.ASCII)
_MAX_DIGITS = 30

MAX_ID = 2**63 - 1
"""The largest id the database can hold (BIGINT)."""


def parse_id(text: str) -> int | None:
    """Return the id that a path segment or parameter names, or None where it cannot be one."""
    if not _ID.fullmatch(text):
        return None
    number = int(text)
    return number if 0 < number <= MAX_ID else None


def parse_whole(text: str) -> int | None:
    """Return the integer that `text` writes in plain ASCII digits, or None.

    Of a number with more than 30 digits only its size matters to anyone, so it is cut there:
    parsing a long one costs the square of its length.
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        return None
    sign, digits = match.groups()
    number = int(digits[:_MAX_DIGITS])
    return -number if sign else number


_LOGIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,18}[A-Za-z0-9_]")


def is_login(text: str) -> bool:
    """Return whether `text` can be somebody's login."""
    return _LOGIN.fullmatch(text) is not None
