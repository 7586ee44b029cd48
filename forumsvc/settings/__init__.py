"""Every ini setting: declared once, parsed and checked when the service starts."""

from .accounts import LEVELS
from .declared import DECLARED, default_of
from .loader import DEVELOPMENT_SECRET, Settings, SettingsError, find_errors, ini_path_problem
from .setting import Setting

__all__ = [
    "DECLARED",
    "DEVELOPMENT_SECRET",
    "LEVELS",
    "Setting",
    "Settings",
    "SettingsError",
    "default_of",
    "find_errors",
    "ini_path_problem",
]
