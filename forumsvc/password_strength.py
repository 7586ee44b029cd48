"""Refuses the passwords that are tried first."""

import gzip
from collections.abc import Iterable
from functools import cache
from importlib import resources

from .texts import Message
from .unicode_forms import opaque_string

_LEAST_DIFFERENT = 5
"""Characters."""


def weakness(password: str, user_inputs: Iterable[str] = ()) -> str | None:
    """Return why a password is easily guessed, or None if it is not.

    user_inputs: what others know of its owner and would try first: login, email, name of the site.
    The password is compared in its form (`opaque_string`), in any case, with these and with the
    common ones that are long enough (13,579 passwords, names and words of 10 or more characters).
    How long it is, is judged elsewhere.
    """
    key = opaque_string(password).lower()
    if len(set(key)) < _LEAST_DIFFERENT:
        return Message("has too few different characters")
    if key in _common():
        return Message("is one of the most common passwords")
    known = {
        opaque_string(part).lower()
        for text in user_inputs
        for part in (text, text.partition("@")[0])
    }
    if key in known:
        return Message("must not be your login, your email address or the name of this site")
    return None


@cache
def _common() -> frozenset[str]:
    # Not at the start: most processes never need the list.
    packed = resources.files("forumsvc").joinpath("common_passwords.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().split())
