"""The declaration of one setting."""

from dataclasses import dataclass

from .setting_types import SettingType

_UNITS_IN_NAMES = ("seconds", "minutes", "bytes")


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the ini files.

    default: as it would be written in an ini file; None: the setting is required.
    """

    name: str
    type: SettingType
    default: str | None
    meaning: str
    secret: bool = False

    @property
    def area(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]

    @property
    def counted_unit(self) -> str:
        """The unit of a number, of its type or from the name; empty if there is none."""
        return self.type.unit or next(
            (unit for unit in _UNITS_IN_NAMES if self.name.endswith(f"_{unit}")), ""
        )
