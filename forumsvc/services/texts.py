"""What a short text must be before it is stored."""

import unicodedata

from ..errors import Invalid

_LINE_BREAKS = "\t\n\r"


def one_line(field: str, text: str, longest: int, *, shortest: int = 0) -> str:
    """Return `text` without blanks around it.

    field: the parameter's name, for the error; longest, shortest: characters.
    Raises Invalid where the length is outside the bounds, or a control character or a lone
    surrogate (bytes that were no text) is in it.
    """
    text = text.strip()
    if not shortest <= len(text) <= longest:
        raise Invalid(field, f"must have {shortest} to {longest} characters")
    _refuse_controls(field, text, allowed="")
    return text


def many_lines(field: str, text: str, longest: int) -> str:
    """Return `text` without blanks around it, which may have line breaks in it.

    Raises Invalid as `one_line` does.
    """
    text = text.strip()
    if len(text) > longest:
        raise Invalid(field, f"must have at most {longest} characters")
    _refuse_controls(field, text, allowed=_LINE_BREAKS)
    return text


def _refuse_controls(field: str, text: str, allowed: str) -> None:
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in allowed for char in text):
        raise Invalid(field, "must not contain control characters")
