"""Temporary folders for the checks."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def temporary_folder(folder: Path) -> Iterator[Path]:
    """Create a folder and its parents, and remove those that did not exist before.

    Folders that belong to the user who runs the check might not be accessible to the service. A
    folder that is not empty stays. Raises OSError if the folder cannot be created.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    finally:
        for created in missing:
            with suppress(OSError):
                created.rmdir()
