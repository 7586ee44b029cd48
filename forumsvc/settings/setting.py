"""What is declared of a setting."""

from dataclasses import dataclass

from .kinds import Kind


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the ini files; `default` is written as it would be there, None: required."""

    name: str
    kind: Kind
    default: str | None
    meaning: str
    secret: bool = False

    @property
    def area(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]
