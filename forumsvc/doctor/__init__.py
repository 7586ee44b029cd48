"""What is wrong, before the start and while the service runs: `forumsvc doctor`.

Nothing is changed: a test photo is deleted, no row is written, no email is sent. What a check
cannot find out is a finding, too, and stops no other check.
"""

from .finding import Finding, Level
from .run import examine

__all__ = ["Finding", "Level", "examine"]
