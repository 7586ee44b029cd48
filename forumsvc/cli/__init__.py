"""The `forumsvc` command, for those who run a forum; a group of commands a file."""

from .root import main

__all__ = ["main"]
