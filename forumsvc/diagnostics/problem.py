"""A problem of a configuration, or of the running service."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """The severity of a problem."""

    ERROR = "error"
    """The service does not start, or requests fail."""
    WARNING = "warning"
    """It may fail under load, or a protection is not effective."""
    INFO = "info"
    """Worth knowing; nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem. message: one line, which begins with the key of the ini file if there is one."""

    level: Level
    message: str


def error(message: object) -> Problem:
    """Return an error; its message is put on one line."""
    return Problem(Level.ERROR, " ".join(str(message).split()))


def warning(message: object) -> Problem:
    """Return a warning; its message is put on one line."""
    return Problem(Level.WARNING, " ".join(str(message).split()))


def info(message: object) -> Problem:
    """Return what is worth knowing; its message is put on one line."""
    return Problem(Level.INFO, " ".join(str(message).split()))
