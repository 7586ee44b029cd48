"""The words of a language by their frequency: few are in many texts, most are in few."""

import random
from collections.abc import Sequence
from functools import cache
from math import prod

from .rng import zipf

SIZE = 150_000
"""How many words a vocabulary has."""

_SHIFT = 7.0
_STEP = 1_000_003
"""A prime: multiples of it modulo a smaller number visit the numbers below that in mixed order."""


class Vocabulary:
    """Words by rank: listed ones first, then those that are put together from parts.

    common: the most frequent words, the first the most frequent; rarer: lists of parts of words;
    each combination of one part from each list is a word; the last has more than `SIZE`. In place
    of a list of parts may stand the name of a character set: all of its Han characters.
    """

    def __init__(
        self, common: Sequence[str], rarer: Sequence[Sequence[Sequence[str] | str]]
    ) -> None:
        self._common = common
        self._rarer = [
            [han_characters(part) if isinstance(part, str) else part for part in parts]
            for parts in rarer
        ]

    def word(self, rank: int) -> str:
        """Return the word of a rank, 0 … `SIZE` - 1."""
        if rank < len(self._common):
            return self._common[rank]
        rank -= len(self._common)
        for parts in self._rarer[:-1]:
            combinations = prod(map(len, parts))
            if rank < combinations:
                return _combine(parts, rank)
            rank -= combinations
        return _combine(self._rarer[-1], rank)

    def draw(self, rng: random.Random) -> str:
        """Return a random word, by Zipf's law."""
        return self.word(zipf(rng, SIZE, _SHIFT))


def _combine(parts: Sequence[Sequence[str]], number: int) -> str:
    number = number * _STEP % prod(map(len, parts))
    chosen = []
    for choices in parts:
        number, at = divmod(number, len(choices))
        chosen.append(choices[at])
    return "".join(chosen)


@cache
def han_characters(charset: str) -> tuple[str, ...]:
    """Return the Han characters of a character set of two bytes each, as `gb2312` or `euc_jp`."""
    rows = (bytes([high, low]) for high in range(0xA1, 0xFF) for low in range(0xA1, 0xFF))
    characters = (row.decode(charset, "ignore") for row in rows)
    return tuple(one for one in characters if len(one) == 1 and "\u4e00" <= one <= "\u9fff")
