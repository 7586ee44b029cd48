"""What is declared of a setting."""

from dataclasses import dataclass

from .setting_types import SettingType

_UNITS_IN_NAMES = ("seconds", "minutes", "bytes")


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the ini files; `default` is written as it would be there, None: required.

    unit: of what a number counts; a name that ends in its unit (`…_seconds`) needs none.
    """

    name: str
    type: SettingType
    default: str | None
    meaning: str
    secret: bool = False
    unit: str = ""

    @property
    def area(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]

    @property
    def counted_unit(self) -> str:
        """The unit, declared or in the name; empty where there is none."""
        return self.unit or next(
            (unit for unit in _UNITS_IN_NAMES if self.name.endswith(f"_{unit}")), ""
        )
