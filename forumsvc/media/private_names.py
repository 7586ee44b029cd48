"""Names of private files in a storage of photos, which no URL leads to."""

import re
import secrets

PRIVATE = "private"
"""The folder of private files: the name of no image begins with it."""
_NAME = re.compile(r"[0-9a-f]{64}", re.ASCII)


def new_private_name() -> str:
    """Return the name of a new private file, which nobody can guess."""
    return secrets.token_hex(32)


def is_private_name(text: str) -> bool:
    """Return whether a text is a valid name of a private file."""
    return _NAME.fullmatch(text) is not None


def private_path(name: str) -> str:
    """Return where a private file is in a storage. Raises ValueError for an invalid name."""
    if not is_private_name(name):
        raise ValueError(f"not the name of a private file: {name!r}")
    return f"{PRIVATE}/{name}"
