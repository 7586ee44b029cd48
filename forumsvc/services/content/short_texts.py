"""Validation of short texts."""

from ...errors import Invalid
from ...text_rules import line_error, lines_error
from ...texts import Message


def validate_line(field: str, text: str, longest: int, *, shortest: int = 0) -> str:
    """Return a text of one line without surrounding blanks.

    field: the parameter's name, for the error; longest, shortest: characters.
    Raises Invalid if the length is out of bounds, or `text_rules.line_error` refuses the text.
    """
    text = text.strip()
    if not shortest <= len(text) <= longest:
        lengths = {"least": shortest, "most": longest}
        raise Invalid(field, Message("must have %(least)d to %(most)d characters", **lengths))
    _refuse(field, line_error(text))
    return text


def validate_lines(field: str, text: str, longest: int) -> str:
    """Return a text of several lines without surrounding blanks.

    Raises Invalid if it is too long, or `text_rules.lines_error` refuses it.
    """
    text = text.strip()
    if len(text) > longest:
        raise Invalid(field, Message("must have at most %(most)d characters", most=longest))
    _refuse(field, lines_error(text))
    return text


def _refuse(field: str, reason: str | None) -> None:
    if reason is not None:
        raise Invalid(field, reason)
