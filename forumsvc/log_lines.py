"""Log records of one line each: no text of a client can forge a record or command a terminal."""

import logging

from .text_rules import escape

_CONTINUED = "  | "


class LineFormatter(logging.Formatter):
    """Writes a record as one line, what cannot be printed in it escaped.

    A traceback follows on lines of its own, each with a mark before it that no record begins with.
    To be named in the ini: `class = forumsvc.log_lines.LineFormatter`.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the line."""
        return escape(super().formatMessage(record))

    def formatException(self, ei: object) -> str:  # noqa: N802 - logging's name
        """Return the lines of a traceback."""
        return _continued(super().formatException(ei))  # type: ignore[arg-type]

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's name
        """Return the lines of a stack."""
        return _continued(super().formatStack(stack_info))


def _continued(text: str) -> str:
    return "\n".join(_CONTINUED + escape(line) for line in text.split("\n"))
