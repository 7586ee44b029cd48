"""Templates with slots: `«tool»` in a text is replaced by a random word of the list `tool`."""

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache

Words = Mapping[str, Sequence[str]]
"""Slot name → the texts for it, which may have slots themselves."""

_SLOT = re.compile(r"«([a-z_]+)»")


def expand(template: str, words: Words, rng: random.Random) -> str:
    """Return `template` with every slot filled from `words`; KeyError for an unknown slot.

    A slot that occurs several times gets different texts, as long as there are enough.
    """
    return _fill(template, words, rng, {})


@cache
def _parts(template: str) -> tuple[str, ...]:
    """Return literal, slot name, literal, slot name, …, literal."""
    return tuple(_SLOT.split(template))


def _fill(template: str, words: Words, rng: random.Random, taken: dict[str, set[str]]) -> str:
    parts = _parts(template)
    if len(parts) == 1:
        return template
    filled = []
    for at, part in enumerate(parts):
        if at % 2:
            filled.append(_fill(_pick(part, words[part], rng, taken), words, rng, taken))
        else:
            filled.append(part)
    return "".join(filled)


def _pick(slot: str, choices: Sequence[str], rng: random.Random, taken: dict[str, set[str]]) -> str:
    used = taken.setdefault(slot, set())
    # int(random() * n) takes half the time of choice(), and there may be a million titles.
    at = int(rng.random() * len(choices))
    if len(used) < len(choices):
        while choices[at] in used:
            at = (at + 1) % len(choices)
    used.add(choices[at])
    return choices[at]


def sentence(text: str) -> str:
    """Return `text` with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that are separated by `|`."""
    return tuple(word.strip() for word in text.split("|"))
