"""Log records of one line each: client input cannot forge a record or control a terminal."""

import logging
from typing import Any

from .text_rules import escape

_CONTINUED = "  | "


class LineFormatter(logging.Formatter):
    """Formats a record as one line, with unprintable characters escaped.

    The lines of a traceback follow, each with a prefix that no record begins with.
    In an ini file: `class = forumsvc.log_lines.LineFormatter`.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return escape(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        return _continued(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's name
        return _continued(super().formatStack(stack_info))


def _continued(text: str) -> str:
    return "\n".join(_CONTINUED + escape(line) for line in text.split("\n"))
