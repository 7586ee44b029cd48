"""The configured photo storages: one for new photos, others may have older ones."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ...db.execution import ReadConnection
from ...errors import NotFound
from ...media.local_storage import LocalStorage
from ...media.storage import Storage
from ...queries import photos
from ...settings import Settings, SettingsError


class PhotoStorages:
    """The storages by the names that rows have for them."""

    def __init__(self, default: str, storages: Mapping[str, Storage]) -> None:
        """default: the name of the storage for new photos."""
        self.default = default
        self._storages = dict(storages)

    @property
    def current(self) -> Storage:
        """The storage for new photos."""
        return self._storages[self.default]

    def items(self) -> list[tuple[str, Storage]]:
        """Return all storages with their names, the one for new photos first."""
        return sorted(self._storages.items(), key=lambda item: item[0] != self.default)

    def all(self) -> list[Storage]:
        """Return all storages, the one for new photos first."""
        return [storage for _, storage in self.items()]

    def get(self, storage_name: str) -> Storage | None:
        """Return the storage of that name, or None if it is not configured."""
        return self._storages.get(storage_name)

    def permanent_url(self, name: str, storage_name: str) -> str | None:
        """Return the permanent URL of a photo in its storage, or None if it has none.

        storage_name: the storage that its row names.
        """
        storage = self._storages.get(storage_name)
        return None if storage is None else storage.permanent_url(name)

    def search_order(self, db: ReadConnection, name: str) -> list[Storage]:
        """Return all storages in the order in which to search for a photo.

        Those that its rows name come first, then those that can tell whether they have it. The
        database is queried only if there is more than one storage.
        """
        if len(self._storages) == 1:
            return [self.current]
        named = photos.storages_of(db, name)
        order = sorted(
            self._storages.items(),
            key=lambda item: (item[0] not in named, item[1].url(name) is not None),
        )
        return [storage for _, storage in order]

    def find(self, db: ReadConnection, name: str) -> str | BinaryIO:
        """Return the URL from which clients fetch a photo, or its bytes as a file to be closed.

        Raises NotFound if no storage has it, OSError if one cannot be read.
        """
        for storage in self.search_order(db, name):
            url = storage.url(name)
            if url is not None:
                return url
            with suppress(NotFound):
                return storage.open(name)
        raise NotFound("There is no such image.")

    def open(self, db: ReadConnection, name: str) -> BinaryIO:
        """Return a photo's bytes as a file that the caller closes.

        Raises NotFound if no storage has it, OSError if one cannot be read.
        """
        for storage in self.search_order(db, name):
            with suppress(NotFound):
                return storage.open(name)
        raise NotFound("There is no such image.")


def open_storages(settings: Settings, ini_dir: Path) -> PhotoStorages:
    """Return the storages, without connecting to them.

    The local directory is always one of them, a bucket if `photos.s3_bucket` names it. ini_dir: the
    base of a relative `photos.dir`. Raises SettingsError if a setting that S3 needs or its library
    is missing.
    """
    default: str = settings["photos.storage"]
    storages: dict[str, Storage] = {"local": LocalStorage(ini_dir / settings["photos.dir"])}
    if default == "s3" or settings["photos.s3_bucket"]:
        storages["s3"] = _bucket(settings)
    return PhotoStorages(default, storages)


def _bucket(settings: Settings) -> Storage:
    from ...media.s3 import S3Options, S3Storage

    if not settings["photos.s3_bucket"]:
        raise SettingsError("photos.s3_bucket: missing; photos.storage = s3 needs a bucket's name")
    options = S3Options(
        bucket=settings["photos.s3_bucket"],
        prefix=settings["photos.s3_prefix"],
        endpoint=settings["photos.s3_endpoint"] or None,
        region=settings["photos.s3_region"] or None,
        access_key=settings["photos.s3_access_key"] or None,
        secret_key=settings["photos.s3_secret_key"] or None,
        public_url=settings["photos.s3_public_url"] or None,
        presign_seconds=settings["photos.s3_presign_seconds"],
    )
    try:
        return S3Storage(options)
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"photos.s3_bucket: s3 needs the library {error.name}; install forumsvc[s3]"
        ) from None
    except Exception as error:
        # boto3 raises a different class for each wrong option of a client.
        raise SettingsError(f"photos.s3_bucket: s3 cannot be set up: {error}") from None
