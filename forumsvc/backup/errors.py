"""Why a backup cannot be made, verified or restored."""

from ..errors import ForumError


class BackupError(ForumError):
    """A backup that cannot be made, is damaged, or cannot be restored; the message is one line."""


class BackupBusy(BackupError):
    """Another backup is being made in the folder: try again later."""
