"""What the examination finds."""

from dataclasses import dataclass

from ..diagnostics import Level


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding. area: the part of the service; message: one line, what is wrong and what to do."""

    level: Level
    area: str
    message: str
