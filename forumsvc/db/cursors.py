"""Cursors: positions in lists, encoded for URLs."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Self

from ..text.ids import MAX_ID, parse_integer

MAX_LENGTH = 200
"""The maximal number of characters of an encoded cursor."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position in a list: the sort key of a row.

    order: the name of the sort order; key: integers, times as microseconds since 1970.
    """

    order: str
    key: tuple[int, ...]

    def __str__(self) -> str:
        """Return the cursor in base64url (RFC 4648 §5), which needs no escape in a URL."""
        plain = ",".join((self.order, *map(str, self.key)))
        return urlsafe_b64encode(plain.encode()).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the cursor for an encoded text, or None. Its order may have any name."""
        if len(text) > MAX_LENGTH:
            return None
        try:
            plain = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
        except ValueError:
            return None
        order, *digits = plain.split(",")
        key = [number for number in map(parse_integer, digits) if number is not None]
        if len(key) != len(digits) or any(abs(number) > MAX_ID for number in key):
            return None
        cursor = cls(order, tuple(key))
        # The decoder ignores unknown characters; yet each cursor is to have one encoding only.
        return cursor if str(cursor) == text else None
