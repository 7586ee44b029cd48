"""Why a dump or a backup cannot be written, read, loaded or restored."""

from ..errors import ForumError


class DumpError(ForumError):
    """A dump that cannot be written, is damaged, or cannot be loaded; the message is one line."""


class BackupBusy(DumpError):
    """Another backup is being made in the folder: try again later."""
