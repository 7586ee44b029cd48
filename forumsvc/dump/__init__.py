"""A whole forum in files, in one documented format (`docs/dump.md`).

A dump has the rows, with or without secrets; it is written, compared, and loaded into an empty
database. A backup is a tar of a dump with secrets and the photo files; it is made, verified and
restored.
"""

from .archive import Archive
from .errors import BackupBusy, DumpError
from .loading import load_dump
from .making import Made, make_backup
from .restoring import Loaded, is_empty, restore_backup, verify_backup
from .writing import write_dump, write_tar

__all__ = [
    "Archive",
    "BackupBusy",
    "DumpError",
    "Loaded",
    "Made",
    "is_empty",
    "load_dump",
    "make_backup",
    "restore_backup",
    "verify_backup",
    "write_dump",
    "write_tar",
]
