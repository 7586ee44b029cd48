"""Estimates how easily a password can be guessed."""

from collections.abc import Iterable

from .texts import Message

_MAX_CHECKED_LENGTH = 40
"""Further characters never weaken a password; the time to check grows with their square."""

_MIN_SCORE = 2
"""On zxcvbn's scale; a password below it takes only a few million guesses."""


def weakness(password: str, user_inputs: Iterable[str] = ()) -> str | None:
    """Return why a password is easily guessed, or None if it is not.

    user_inputs: what others know of its owner (login, e-mail) and would try first. The password
    is compared with these and with zxcvbn's lists of common passwords, names and words, including
    their usual variations.
    """
    # The import loads lists of 20 MB, which most processes never need.
    from zxcvbn import zxcvbn

    known = [part for text in user_inputs for part in (text, *text.split("@"))]
    result = zxcvbn(password[:_MAX_CHECKED_LENGTH], user_inputs=known)
    if result["score"] >= _MIN_SCORE:
        return None
    warning = result["feedback"]["warning"].rstrip(".")
    if not warning:
        return Message("is too easily guessed")
    return Message("is too easily guessed: %(warning)s", warning=warning)
