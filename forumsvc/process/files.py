"""Files that only their owner reads, and folders whose entries are on the disk."""

import os
from pathlib import Path


def open_private(path: str, flags: int) -> int:
    """Open a file that only its owner can read: an opener for `open`."""
    return os.open(path, flags, 0o600)


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to the disk, such as the new name of a file."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
