"""What the service uses beside the database: the photo storages, email and Redis."""

import secrets
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from hashlib import sha256
from io import BytesIO
from tempfile import TemporaryFile

from sqlalchemy import Connection, select

from ..errors import NotFound
from ..mail import SmtpDelivery, create_delivery
from ..media.storage import Storage
from ..models import Photo
from ..services.accounts.email_confirmation import is_required
from ..services.photos.storage import PhotoStorages, open_storages
from ..settings import SettingsError
from ..settings.masking import mask_url
from ..web.limits.rate_limiter import RateLimiter
from .finding import Finding, error
from .folders import temporary_folder
from .installation import Installation

_NEWEST = 20
_KEYS = {"local": "photos.dir", "s3": "photos.s3_bucket"}


def check_storages(installation: Installation) -> Iterator[Finding]:
    """Write, read and delete a file in the default storage; the others are only read."""
    settings, ini_dir = installation.settings, installation.ini.parent
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


def check_photos(installation: Installation) -> Iterator[Finding]:
    """Yield an error if none of the newest photos has its file; `photos check` looks at all."""
    settings = installation.settings
    newest = select(Photo.name).order_by(Photo.id.desc()).limit(_NEWEST)
    storages = open_storages(settings, installation.ini.parent)
    with installation.database.reads.connect() as db:
        names = db.scalars(newest).all()
        result = [name for name in names if _has_file(storages, db, name)]
    if names and not result:
        key = _KEYS[storages.default]
        yield error(
            f"None of the {len(names)} newest photos has a file: is {key} = {settings[key]} right? "
            "forumsvc photos check lists what is missing."
        )


def _has_file(storages: PhotoStorages, db: Connection, name: str) -> bool:
    try:
        storages.open(db, name).close()
    except NotFound:
        return False
    return True


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


def check_mail(installation: Installation) -> Iterator[Finding]:
    """Yield why email could not be delivered; nothing is sent."""
    settings, ini_dir = installation.settings, installation.ini.parent
    delivery = create_delivery(settings, ini_dir)
    if isinstance(delivery, SmtpDelivery):
        sender: str = settings["mail.sender"]
        is_local = sender.endswith(("@localhost", "@localhost.localdomain"))
        if is_local and settings["site.environment"] == "production":
            yield error(
                f"mail.sender: other mail servers refuse mail from {sender}; it must be an address "
                "of a domain of yours"
            )
        try:
            delivery.check()
        except (OSError, ValueError) as failure:
            where, kind = f"{delivery.host}:{delivery.port}", type(failure).__name__
            yield error(f"mail.host: {where} cannot be used: {kind}: {failure}")
    elif delivery is not None:
        if settings["site.environment"] == "production" and is_required(settings):
            yield error(
                "mail.delivery: people must confirm their addresses before they write, and nobody "
                "gets what is written to mail.dir; it must be smtp, or accounts.confirm_email false"
            )
        try:
            with (
                temporary_folder(ini_dir / settings["mail.dir"]) as folder,
                TemporaryFile(dir=folder) as probe,
            ):
                probe.write(b"probe")
        except OSError as failure:
            yield error(f"mail.dir: {settings['mail.dir']!r} cannot be written: {failure}")


def check_rate_limit_storage(installation: Installation) -> Iterator[Finding]:
    """Yield why requests could not be counted."""
    try:
        is_reachable = RateLimiter(installation.settings).is_reachable()
    except SettingsError as failure:
        yield error(failure)
        return
    if not is_reachable:
        where = mask_url(installation.settings["rate_limit.storage"])
        yield error(f"rate_limit.storage: {where} does not respond; requests would not be counted")
