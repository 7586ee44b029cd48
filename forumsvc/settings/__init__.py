"""Every ini setting: declared once, parsed and checked when the service starts."""

from .declared import DECLARED, LEVELS
from .loader import DEVELOPMENT_SECRET, Settings, SettingsError, find_errors, ini_path_problem
from .setting import Setting

__all__ = [
    "DECLARED",
    "DEVELOPMENT_SECRET",
    "LEVELS",
    "Setting",
    "Settings",
    "SettingsError",
    "find_errors",
    "ini_path_problem",
]
