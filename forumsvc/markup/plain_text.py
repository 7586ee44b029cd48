"""Text shown as it is: what stands in where a text cannot be rendered."""

import re

_BREAK = re.compile(r"\r\n?|\n")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\xa0": "&nbsp;", "\0": "\ufffd"})


def escaped(text: str) -> str:
    """Return `text` as one HTML paragraph, character by character, its line breaks kept.

    It is written as the sanitizer would write it, so that sanitizing it changes nothing.
    """
    lines = _BREAK.split(text.strip("\r\n").translate(_ESCAPES))
    return "<p>" + "<br>\n".join(lines) + "</p>" if any(lines) else ""
