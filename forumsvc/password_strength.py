"""Refuses the passwords that are tried first."""

from collections.abc import Iterable
from functools import cache

from .texts import Message

_LEAST_DIFFERENT = 5
"""Characters."""


def weakness(password: str, user_inputs: Iterable[str] = ()) -> str | None:
    """Return why a password is easily guessed, or None if it is not.

    user_inputs: what others know of its owner (login, e-mail) and would try first. The password
    is compared, in any case, with these and with lists of common passwords, names and words. How
    long it is, is judged elsewhere.
    """
    key = password.lower()
    if len(set(key)) < _LEAST_DIFFERENT:
        return Message("has too few different characters")
    if key in _common():
        return Message("is one of the most common passwords")
    known = {part.lower() for text in user_inputs for part in (text, text.partition("@")[0])}
    if key in known:
        return Message("must not be your login or email address")
    return None


@cache
def _common() -> frozenset[str]:
    # Not at the start: most processes never need the lists.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(word for words in FREQUENCY_LISTS.values() for word in words)
