"""What views return: what the answer is of, not what it looks like. The envelope decides that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Listing:
    """Several resources. kind: what they are, in the plural (`topics`)."""

    kind: str
    items: Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Single:
    """One resource. kind: what it is (`topic`); abilities: what the caller may do with it, where
    clients are told; location: its address where it was just created.
    """

    kind: str
    item: dict[str, Any]
    abilities: dict[str, bool] | None = None
    location: str | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are. of: what was counted, where a client names it (`obj_type`, `obj_id`)."""

    count: int
    of: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """It is done, and there is nothing to show."""


Result = Listing | Single | Count | Done
