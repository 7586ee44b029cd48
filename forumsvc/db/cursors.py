"""Cursors: places in lists, written so that they fit into an address."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Self

from ..ids import MAX_ID, parse_whole

MAX_LENGTH = 200
"""The most characters that a cursor's text has."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a list: the key of a row in the list's order.

    order: the name of that order; key: whole numbers, moments as microseconds since 1970.
    """

    order: str
    key: tuple[int, ...]

    def __str__(self) -> str:
        """Return it in the letters, digits and signs of RFC 4648 §5, which no address escapes."""
        plain = ",".join((self.order, *map(str, self.key)))
        return urlsafe_b64encode(plain.encode()).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the cursor that is written so, or None. Its order may be of any name."""
        if len(text) > MAX_LENGTH:
            return None
        try:
            plain = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
        except ValueError:
            return None
        order, *digits = plain.split(",")
        key = [number for number in map(parse_whole, digits) if number is not None]
        if len(key) != len(digits) or any(abs(number) > MAX_ID for number in key):
            return None
        cursor = cls(order, tuple(key))
        # The decoder passes over what it does not know: a place has one spelling all the same.
        return cursor if str(cursor) == text else None
