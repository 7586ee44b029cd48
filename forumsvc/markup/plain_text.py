"""Escapes a text that cannot be rendered, so that it is shown unformatted."""

import html
import re

# With the vertical tab and the form feed, which word processors write for the end of a line.
_BREAK = re.compile(r"\r\n?|[\n\x0b\x0c]")
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1f\x7f]")


def escape_to_html(text: str) -> str:
    """Return `text` as one HTML paragraph that keeps its line breaks.

    Control characters are removed. The result is as the sanitizer would write it, so that
    sanitizing it changes nothing.
    """
    escaped = html.escape(_CONTROL.sub("", text).strip("\r\n"), quote=False)
    escaped = escaped.replace("\xa0", "&nbsp;").replace("\0", "\ufffd")
    return "<p>" + _BREAK.sub("<br>\n", escaped) + "</p>" if escaped else ""
