"""Examination of the running service, for `forumsvc doctor`: a module for each area.

Nothing is changed: no row is written, no email is sent. What a check cannot find out is a finding,
too, and stops no other check.
"""

from .finding import Finding
from .installation import Installation
from .run import examine

__all__ = ["Finding", "Installation", "examine"]
