"""Escapes a text that cannot be rendered, so that it is shown unformatted."""

import re

_BREAK = re.compile(r"\r\n?|\n")
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\xa0": "&nbsp;", "\0": "\ufffd"})


def escape_to_html(text: str) -> str:
    """Return `text` as one HTML paragraph that keeps its line breaks.

    Control characters are removed. The result is as the sanitizer would write it, so that
    sanitizing it changes nothing.
    """
    lines = _BREAK.split(_CONTROL.sub("", text).strip("\r\n").translate(_ESCAPES))
    return "<p>" + "<br>\n".join(lines) + "</p>" if any(lines) else ""
