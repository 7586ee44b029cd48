"""What a short text must be before it is stored."""

from ...errors import Invalid
from ...text_rules import line_error, lines_error


def one_line(field: str, text: str, longest: int, *, shortest: int = 0) -> str:
    """Return `text` without blanks around it.

    field: the parameter's name, for the error; longest, shortest: characters.
    Raises Invalid where the length is outside the bounds, or `text_rules.line_error` refuses it.
    """
    text = text.strip()
    if not shortest <= len(text) <= longest:
        raise Invalid(field, f"must have {shortest} to {longest} characters")
    _refuse(field, line_error(text))
    return text


def many_lines(field: str, text: str, longest: int) -> str:
    """Return `text` without blanks around it, which may have line breaks in it.

    Raises Invalid where it is too long, or `text_rules.lines_error` refuses it.
    """
    text = text.strip()
    if len(text) > longest:
        raise Invalid(field, f"must have at most {longest} characters")
    _refuse(field, lines_error(text))
    return text


def _refuse(field: str, reason: str | None) -> None:
    if reason is not None:
        raise Invalid(field, reason)
