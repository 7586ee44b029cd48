"""Dump and load: all that a forum has, in one documented format (`docs/dump.md`)."""

from .errors import DumpError
from .loading import load_dump
from .manifest import Manifest
from .source import verify_dump
from .writing import write_dump, write_tar

__all__ = ["DumpError", "Manifest", "load_dump", "verify_dump", "write_dump", "write_tar"]
