"""The difference between two texts, by words; Chinese and Japanese by letters.

Lines are compared first, then the sentences of those that differ, and then their words. What would
take long is not compared: it is shown as removed and written anew.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

_LETTERS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Of scripts without blanks between words, in which a letter says something."""
_MARKS = "\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""What belongs to the letter before it."""
_SIGNS = "!-/:-@\\[-`{-~\u2010-\u205e\u3000-\u303f\uff01-\uff0f\uff1a-\uff20"
_WORD = re.compile(rf"\n|[^\S\n]+|[{_LETTERS}][{_MARKS}]*|[{_SIGNS}]|[^\s{_LETTERS}{_SIGNS}]+|\s")
_ENDS = ".!?\u061f\u06d4\u3002\uff01\uff1f"
_SENTENCE = re.compile(rf"[^{_ENDS}]*[{_ENDS}]+\s*|[^{_ENDS}]+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LEVELS = (_LINE, _SENTENCE, _WORD)
_STEPS_OF_PAIR = 100
_CONTEXT = 200
"""Characters that are shown of an unchanged text before and after a change."""


class Kind(StrEnum):
    """What has become of a part of a text. LEFT_OUT: unchanged and long, so not shown."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    LEFT_OUT = "left out"


class Part(NamedTuple):
    """A part of the two texts."""

    kind: Kind
    text: str


@dataclass(slots=True)
class Budget:
    """How much may still be compared, in steps; a page has one."""

    steps: int = 5_000_000

    def allows(self, old: Sequence[str], new: Sequence[str]) -> bool:
        """Return whether two texts may be compared, and count them if so.

        `SequenceMatcher` is slow for long texts, and very slow for many words that are equal.
        """
        steps = len(old) * len(new)
        if steps <= self.steps:
            in_old, in_new = Counter(old), Counter(new)
            steps += sum(
                _STEPS_OF_PAIR * number * in_new[word]
                for word, number in in_old.items()
                if not word.isspace()
            )
        if steps > self.steps:
            return False
        self.steps -= steps
        return True


def difference(old: str, new: str, budget: Budget) -> list[Part]:
    """Return what an edit has changed, in the order of the texts."""
    parts = _compared(old, new, _LEVELS, budget)
    return [
        Part(kind, "".join(part.text for part in same))
        for kind, same in groupby(parts, key=itemgetter(0))
    ]


def shortened(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with only the surroundings of what has changed."""
    shown: list[Part] = []
    for at, part in enumerate(parts):
        if part.kind is not Kind.SAME or len(part.text) <= 3 * _CONTEXT:
            shown.append(part)
            continue
        if at:
            shown.append(Part(Kind.SAME, part.text[:_CONTEXT]))
        shown.append(Part(Kind.LEFT_OUT, part.text[_CONTEXT if at else 0 : -_CONTEXT]))
        if at + 1 < len(parts):
            shown.append(Part(Kind.SAME, part.text[-_CONTEXT:]))
    return shown


def _compared(old: str, new: str, levels: Sequence[Any], budget: Budget) -> Iterator[Part]:
    """Yield the parts of two texts. levels: into what they are divided, the longest first."""
    if not levels or not old or not new:
        yield from _part(Kind.REMOVED, old)
        yield from _part(Kind.ADDED, new)
        return
    olds, news = levels[0].findall(old), levels[0].findall(new)
    shorter = min(len(olds), len(news))
    first = next((at for at in range(shorter) if olds[at] != news[at]), shorter)
    rest = shorter - first
    last = next((at for at in range(rest) if olds[-1 - at] != news[-1 - at]), rest)
    yield from _part(Kind.SAME, *olds[:first])
    changed_old, changed_new = olds[first : len(olds) - last], news[first : len(news) - last]
    for kind, of_old, of_new in _blocks(changed_old, changed_new, budget):
        if kind is Kind.SAME:
            yield Part(kind, of_old)
        else:
            yield from _compared(of_old, of_new, levels[1:], budget)
    yield from _part(Kind.SAME, *olds[len(olds) - last :])


def _blocks(
    old: Sequence[str], new: Sequence[str], budget: Budget
) -> Iterator[tuple[Kind, str, str]]:
    """Yield what is in both sequences, and what stands in its place in each."""
    if not old or not new or not budget.allows(old, new):
        yield Kind.REMOVED, "".join(old), "".join(new)
        return
    matcher = SequenceMatcher(str.isspace, old, new, autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        kind = Kind.SAME if tag == "equal" else Kind.REMOVED
        yield kind, "".join(old[old_start:old_end]), "".join(new[new_start:new_end])


def _part(kind: Kind, *texts: str) -> Iterator[Part]:
    if text := "".join(texts):
        yield Part(kind, text)
