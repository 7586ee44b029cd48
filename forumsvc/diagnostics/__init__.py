"""The type of a finding, for `forumsvc doctor`."""

from .problem import Finding as Problem

__all__ = ["Problem"]
