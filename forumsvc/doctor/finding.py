"""What an examination finds."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """The severity of a finding."""

    ERROR = "error"
    """The service does not start, requests fail, or data is in danger."""
    WARNING = "warning"
    """It may fail under load or later, or a protection is not effective."""
    INFO = "info"
    """Worth knowing; nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding. message: one line, what is wrong and what to do; area: the part of the service."""

    level: Level
    message: str
    area: str = ""


def error(message: object) -> Finding:
    """Return an error; its message is put on one line."""
    return Finding(Level.ERROR, " ".join(str(message).split()))


def warning(message: object) -> Finding:
    """Return a warning; its message is put on one line."""
    return Finding(Level.WARNING, " ".join(str(message).split()))


def info(message: object) -> Finding:
    """Return what is worth knowing; its message is put on one line."""
    return Finding(Level.INFO, " ".join(str(message).split()))
