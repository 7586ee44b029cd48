"""Log records of one line each, as text or JSON, with the id of the request.

Client input cannot forge a record or control a terminal.
"""

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from .text.text_rules import escape

_CONTINUED = "  | "

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="-")
"""The id of the request that this thread answers."""

SWEEP_PREFIX = "sweep-"
"""What the records of a sweep have instead of a request's id begins so. No client can send it."""


class LineFormatter(logging.Formatter):
    """Formats a record as one line, with unprintable characters escaped.

    The lines of a traceback follow, each with a prefix that no record begins with. The format may
    have `%(request_id)s`. In an ini file: `class = forumsvc.log_lines.LineFormatter`.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        record.request_id = REQUEST_ID.get()
        return escape(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        return _continued(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's name
        return _continued(super().formatStack(stack_info))


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object: time (RFC 3339), level, process, logger, message.

    In records of a request there is also request_id, and with an exception `exception`, its
    traceback. In an ini file: `class = forumsvc.log_lines.JsonFormatter`.
    """

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC)
        shown = {
            "time": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "process": record.processName,
            "logger": record.name,
            "message": record.getMessage(),
        }
        request_id = REQUEST_ID.get()
        if request_id != "-":
            shown["request_id"] = request_id
        if record.exc_info:
            shown["exception"] = self.formatException(record.exc_info)
        return json.dumps(shown)


def _continued(text: str) -> str:
    return "\n".join(_CONTINUED + escape(line) for line in text.split("\n"))
