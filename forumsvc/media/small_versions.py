"""Where the small versions of photos are in a storage.

They are made of the photos, so no row and no backup names them, and they go with the photo.
"""

SMALL_WIDTH = 480
"""Of the small version of a wider photo, in pixels."""
SMALL = str(SMALL_WIDTH)
"""The folder of the small versions: the name of no image begins with it."""


def small_path(name: str) -> str:
    """Return where the small version of an image is in a storage. name: the image's."""
    return f"{SMALL}/{name}"


def media_type(beginning: bytes) -> str:
    """Return the media type of a small version, PNG or JPEG, by its first bytes."""
    return "image/png" if beginning.startswith(b"\x89PNG") else "image/jpeg"
