"""Every ini setting: declared once, read from here, checked at start-up."""

from .declared import DECLARED, LEVELS
from .loader import DEVELOPMENT_SECRET, Settings, SettingsError, find_errors
from .setting import Setting

__all__ = [
    "DECLARED",
    "DEVELOPMENT_SECRET",
    "LEVELS",
    "Setting",
    "Settings",
    "SettingsError",
    "find_errors",
]
