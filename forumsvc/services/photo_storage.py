"""The photo storage that the settings name."""

from pathlib import Path

from ..media.storage import LocalStorage, Storage
from ..settings import Settings, SettingsError


def open_storage(settings: Settings, here: Path) -> Storage:
    """Return the storage; nothing is read or asked of it yet.

    here: the ini file's folder, to which a relative `photos.dir` refers. Raises SettingsError
    where a setting that S3 needs, or its library, is missing.
    """
    if settings["photos.storage"] == "s3":
        return _bucket(settings)
    return LocalStorage(here / settings["photos.dir"])


def _bucket(settings: Settings) -> Storage:
    from ..media.s3 import S3Options, S3Storage

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
        expires=settings["photos.s3_expires"],
    )
    try:
        return S3Storage(options)
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"photos.storage: s3 needs the library {error.name}; install forumsvc[s3]"
        ) from None
    except Exception as error:
        # boto3 has a class of its own for each thing that can be wrong with a client's options.
        raise SettingsError(f"photos.storage: s3 cannot be set up: {error}") from None
