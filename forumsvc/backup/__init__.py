"""Backups: a tar with a dump of all rows and the photo files, made, verified and restored."""

from .errors import BackupBusy, BackupError
from .making import Made, make_backup
from .restoring import Restored, is_empty, restore_backup
from .verifying import Verified, verify_backup
from .writing import Source

__all__ = [
    "BackupBusy",
    "BackupError",
    "Made",
    "Restored",
    "Source",
    "Verified",
    "is_empty",
    "make_backup",
    "restore_backup",
    "verify_backup",
]
