"""Which characters a text may contain: the same rules for API, pages and command line."""

import re
import unicodedata

from .messages import Message
from .unicode_forms import is_blank

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_BREAKS = "\t\n\r"
_CR = re.compile("\r\n?")
_SEPARATORS = "\u2028\u2029"
_BIDI_CONTROLS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Embeddings, overrides and isolates: unclosed, they reorder the text that follows.

The marks U+200E, U+200F and U+061C stay allowed; Arabic and Hebrew names need them.
"""
_NOT_IN_LINE = frozenset(_SEPARATORS + _BIDI_CONTROLS)


def blank_error(text: str, *, required: bool) -> str | None:
    """Return why `text` is refused because a reader would see nothing of it, or None.

    required: whether it must not be empty. What is only of invisible characters is always refused.
    """
    if not text.strip():
        return Message("must not be empty") if required else None
    return Message("must have a visible character") if is_blank(text) else None


def line_error(text: str) -> str | None:
    """Return why `text` is not valid as a single line (a title, a name), or None if it is.

    Not allowed are C0 and C1 control characters, line and paragraph separators, bidirectional
    embeddings, overrides and isolates, and lone surrogates.
    """
    if text.isascii() and text.isprintable():
        return None
    for character in text:
        if character in _NOT_IN_LINE or unicodedata.category(character) == "Cc":
            return Message(
                "must not contain line breaks or control characters (%(character)s)",
                character=_code_point(character),
            )
    return _surrogate_error(text)


def lines_error(text: str) -> str | None:
    """Return why `text` is not valid as plain text of several lines, or None if it is.

    Not allowed are C0 and C1 control characters except tab and line breaks, and lone surrogates.
    """
    if text.isascii() and text.isprintable():
        return None
    return control_error(text, allowed=_LINE_BREAKS) or _surrogate_error(text)


def control_error(text: str, *, allowed: str = "") -> str | None:
    """Return why a text with C0 or C1 control characters is refused, or None if it has none."""
    for character in text:
        if character not in allowed and unicodedata.category(character) == "Cc":
            return Message(
                "must not contain control characters (%(character)s)",
                character=_code_point(character),
            )
    return None


def body_error(text: str) -> str | None:
    """Return why `text` is not valid as Markdown, or None if it is.

    Not allowed are NUL, which PostgreSQL cannot store, and lone surrogates.
    """
    if "\0" in text:
        return "must not contain the character NUL"
    return None if text.isascii() else _surrogate_error(text)


def with_lf(text: str) -> str:
    """Return a text whose lines end with LF, which may end with CRLF or CR."""
    return _CR.sub("\n", text) if "\r" in text else text


def escape(text: str) -> str:
    """Return `text` with unprintable characters written as Python escapes (`\\n`, `\\x1b`).

    These are control characters, separators, bidirectional controls and lone surrogates.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )


def _surrogate_error(text: str) -> str | None:
    return "must not contain lone surrogates" if _LONE_SURROGATE.search(text) else None


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"
