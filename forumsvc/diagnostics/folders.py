"""Folders that a probe needs for a moment."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def temporary_folder(folder: Path) -> Iterator[Path]:
    """Make a folder with those above it, and remove those that were not there before.

    Made by whoever runs the check, they might be closed to the user of the service. What is in use
    by then stays. Raises OSError where the folder cannot be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    finally:
        for made in missing:
            with suppress(OSError):
                made.rmdir()
