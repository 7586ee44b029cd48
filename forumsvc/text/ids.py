"""The only place where external text is parsed as an integer.

`int()` alone accepts Arabic digits, underscores and spaces, and has no upper bound.
"""

import re
from collections.abc import Iterable

_ID = re.compile(r"[0-9]{1,19}", re.ASCII)
_INTEGER = re.compile(r"(-?)([0-9]++)", re.ASCII)
_MAX_DIGITS = 30

MAX_ID = 2**63 - 1
"""The largest id the database can hold (BIGINT)."""


def parse_id(text: str) -> int | None:
    """Return the id in a path segment or parameter, or None if it is not a valid id."""
    if not _ID.fullmatch(text):
        return None
    number = int(text)
    return number if 0 < number <= MAX_ID else None


def parse_integer(text: str) -> int | None:
    """Return the integer that `text` states in plain ASCII digits, or None.

    A number with more than 30 digits is truncated to 30: only its size matters, and the time to
    parse it grows with the square of its length.
    """
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    sign, digits = match.groups()
    number = int(digits.lstrip("0")[:_MAX_DIGITS] or "0")
    return -number if sign else number


_LOGIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,18}[A-Za-z0-9_]")


def is_login(text: str) -> bool:
    """Return whether `text` has the form of a login, whether or not a user has it."""
    return _LOGIN.fullmatch(text) is not None


MAX_DRAFT_KEY = 64
_DRAFT_KEY = re.compile(rf"[A-Za-z0-9._:-]{{1,{MAX_DRAFT_KEY}}}")


def is_draft_key(text: str) -> bool:
    """Return whether a draft may have this key."""
    return _DRAFT_KEY.fullmatch(text) is not None


def known_ids(ids: Iterable[int | None]) -> list[int]:
    """Return the ids, each once, in their order, without None."""
    return sorted({item for item in ids if item is not None})
