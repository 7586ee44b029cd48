"""Checks of a configuration, for `forumsvc check`.

The checks leave nothing behind: a test photo is deleted, no email is sent, no row is written.
"""

from .problem import Level, Problem
from .run import diagnose

__all__ = ["Level", "Problem", "diagnose"]
