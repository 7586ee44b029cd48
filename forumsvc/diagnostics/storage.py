"""Check of the photo storages: it writes, reads and deletes a file in the default one; others are
only read.
"""

import secrets
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from ..errors import NotFound
from ..media.storage import Storage
from ..services.photo_storage import open_storages
from ..settings import Settings, SettingsError
from .folders import temporary_folder
from .problem import Problem, error

_KEYS = {"local": "photos.dir", "s3": "photos.s3_bucket"}


def check(settings: Settings, ini_dir: Path) -> Iterator[Problem]:
    """Yield the problems of the storages. ini_dir: the folder of the ini file."""
    content = secrets.token_bytes(64)
    digest = sha256(content).hexdigest()
    name = f"{digest[:2]}/{digest}.png"
    try:
        storages = open_storages(settings, ini_dir)
    except SettingsError as failure:
        yield error(failure)
        return
    for word, storage in storages.items():
        key = _KEYS[word]
        folder = (ini_dir / settings["photos.dir"] / name).parent
        try:
            with temporary_folder(folder) if word == storages.default == "local" else nullcontext():
                if word == storages.default:
                    _check_write(storage, name, content)
                _check_read(storage, name)
        except (OSError, ValueError) as failure:
            yield error(f"{key}: {settings[key]!r} cannot be used: {failure}")


def _check_write(storage: Storage, name: str, content: bytes) -> None:
    """Write, read and delete a file; raise OSError if one of them fails."""
    storage.put(name, BytesIO(content), "image/png")
    try:
        with storage.open(name) as stored:
            if stored.read() != content:
                raise OSError("what is read is not what was written")
    except NotFound:
        raise OSError("what was written is not there") from None
    finally:
        storage.delete(name)


def _check_read(storage: Storage, name: str) -> None:
    """Read a photo that does not exist; raise OSError if the storage cannot be read."""
    with suppress(NotFound):
        storage.open(name).close()
