"""Validation of short texts."""

from ...errors import Invalid
from ...text.messages import Message
from ...text.text_rules import blank_error, line_error, lines_error, with_lf
from ...text.unicode_forms import without_ignorable


def validate_line(field: str, text: str, longest: int, *, shortest: int = 0) -> str:
    """Return a text of one line without surrounding blanks.

    field: the parameter's name, for the error; longest, shortest: characters.
    Raises Invalid if the length is out of bounds, or `text_rules` refuses the text.
    """
    text = text.strip()
    if not shortest <= len(text) <= longest:
        lengths = {"least": shortest, "most": longest}
        raise Invalid(field, Message("must have %(least)d to %(most)d characters", **lengths))
    _refuse(field, blank_error(text, required=shortest > 0) or line_error(text))
    return text


def validate_name(field: str, text: str, longest: int, *, shortest: int = 0) -> str:
    """Return the name of a person or an application, as `validate_line`.

    It loses the invisible characters that change nothing of how it looks.
    """
    return without_ignorable(validate_line(field, text, longest, shortest=shortest)).strip()


def validate_lines(field: str, text: str, longest: int) -> str:
    """Return a text of several lines, which end with LF, without surrounding blanks.

    Raises Invalid if it is too long, or `text_rules` refuses it.
    """
    text = with_lf(text).strip()
    if len(text) > longest:
        raise Invalid(field, Message("must have at most %(most)d characters", most=longest))
    _refuse(field, blank_error(text, required=False) or lines_error(text))
    return text


def _refuse(field: str, reason: str | None) -> None:
    if reason is not None:
        raise Invalid(field, reason)
