"""The `forumsvc` command, for operators of a forum. Each group of commands has its own file."""

from .root import main

__all__ = ["main"]
