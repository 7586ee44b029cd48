"""Templates with slots: `«tool»` in a text is replaced by a random word of the list `tool`."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

Draw = Callable[[random.Random], str]
Words = Mapping[str, Sequence[str] | Draw]
"""Slot name → the texts for it, which may have slots themselves, or a function that draws one."""

_SLOT = re.compile(r"«([a-z_]+)»")


def expand(template: str, words: Words, rng: random.Random) -> str:
    """Return `template` with every slot filled from `words`; KeyError for an unknown slot.

    A slot that occurs several times gets different texts, as long as there are enough in its list.
    """
    return _fill(template, words, rng, {})


@cache
def _parts(template: str) -> tuple[str, ...]:
    """Return literal, slot name, literal, slot name, …, literal."""
    return tuple(_SLOT.split(template))


def _fill(template: str, words: Words, rng: random.Random, taken: dict[str, set[str]]) -> str:
    parts = list(_parts(template))
    for at in range(1, len(parts), 2):
        choices = words[parts[at]]
        if callable(choices):
            parts[at] = choices(rng)
        else:
            parts[at] = _fill(_pick(parts[at], choices, rng, taken), words, rng, taken)
    return "".join(parts)


def _pick(slot: str, choices: Sequence[str], rng: random.Random, taken: dict[str, set[str]]) -> str:
    used = taken.setdefault(slot, set())
    at = int(rng.random() * len(choices))
    if len(used) < len(choices):
        while choices[at] in used:
            at = (at + 1) % len(choices)
    used.add(choices[at])
    return choices[at]


def sentence(text: str) -> str:
    """Return `text` with its first letter in upper case."""
    return text[:1].upper() + text[1:]
