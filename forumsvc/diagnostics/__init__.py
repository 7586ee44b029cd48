"""What is wrong with a configuration: at the start of the service, and only later in use.

Nothing that a check makes stays: a probe picture is deleted, no mail is sent, no row is written.
"""

from .problem import Level, Problem
from .run import diagnose

__all__ = ["Level", "Problem", "diagnose"]
