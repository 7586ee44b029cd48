"""How easily a password is guessed."""

from collections.abc import Iterable

_JUDGED = 40
"""Characters: what follows makes a password no weaker, and judging it costs the square of it."""

_WEAK = 2
"""On zxcvbn's scale: below it a few million guesses suffice, which nobody needs luck for."""


def weakness(password: str, about: Iterable[str] = ()) -> str | None:
    """Return in words why a password is easily guessed, or None where it is not.

    about: what others know of its owner (login, e-mail), and try first. It is held against
    zxcvbn's lists of common passwords, names and words, with their usual disguises.
    """
    # It reads its lists when it is imported, 20 MB that most processes never need.
    from zxcvbn import zxcvbn

    known = [part for text in about for part in (text, *text.split("@"))]
    judged = zxcvbn(password[:_JUDGED], user_inputs=known)
    if judged["score"] >= _WEAK:
        return None
    said = judged["feedback"]["warning"].rstrip(".")
    return f"is too easily guessed: {said}" if said else "is too easily guessed"
