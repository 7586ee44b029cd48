"""What an examination finds."""

from ..diagnostics.problem import Finding, Level, error, info, warning

__all__ = ["Finding", "Level", "error", "info", "warning"]
