"""The manifest of a backup, the last member of its tar: a file that was cut has none."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .. import migrate
from ..media.storage import is_name
from .errors import BackupError

FORMAT = "forumsvc-backup"
FORMAT_VERSION = 1
NAME = "manifest.json"
MAX_SIZE = 64 * 2**20
"""The largest manifest that is read, in bytes: it names the photos that have no file."""
DUMP, PHOTOS = "dump/", "photos/"
"""What the names of the other members begin with."""
_MEMBER = re.compile(r"dump/(manifest\.json|[a-z_]{1,60}\.ndjson\.gz)", re.ASCII)


@dataclass(frozen=True)
class Member:
    """A file of the dump. size: in bytes."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Photos:
    """The photo files. size: of all, in bytes; missing: the names of rows that had no file.

    The name of a photo file has its SHA-256.
    """

    files: int
    size: int
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Manifest:
    """What a backup is. photos: None in one without photos."""

    forumsvc_version: str
    revision: str
    site_url: str
    created_at: str
    members: Mapping[str, Member]
    photos: Photos | None

    def to_json(self) -> bytes:
        """Return the text of the manifest, which has a digest of itself."""
        fields = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        return json.dumps(fields | {"sha256": _digest(fields)}, indent=1).encode() + b"\n"


def parse_manifest(text: bytes) -> Manifest:
    """Return the manifest of this text. Raises BackupError where it is damaged or too new."""
    try:
        found = json.loads(text)
        said = found.pop("sha256", None) if isinstance(found, dict) else None
        is_damaged = said != _digest(found)
    except (ValueError, RecursionError):
        raise BackupError(f"{NAME} of the backup is damaged: it is no JSON.") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BackupError(f"{NAME} is not that of a backup of forumsvc.")
    if is_damaged:
        raise BackupError(f"{NAME} of the backup is damaged: its SHA-256 is wrong.")
    if found.get("format_version") != FORMAT_VERSION:
        raise BackupError("The backup has a newer format: use a newer forumsvc.")
    try:
        manifest = _manifest(found)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise BackupError(f"{NAME} of the backup has a wrong value.") from None
    if not migrate.is_known(manifest.revision):
        raise BackupError(
            f"The backup is of revision {manifest.revision[:40]!r}, which this forumsvc does not "
            "know: use a newer forumsvc."
        )
    return manifest


def _manifest(found: Mapping[str, Any]) -> Manifest:
    members = {name: Member(**one) for name, one in found["members"].items()}
    photos = None if found["photos"] is None else Photos(**found["photos"])
    if not all(map(_MEMBER.fullmatch, members)):
        raise ValueError
    if photos is not None:
        if not all(map(is_name, photos.missing)):
            raise ValueError
        photos = Photos(int(photos.files), int(photos.size), tuple(photos.missing))
    texts = {name: str(found[name]) for name in ("forumsvc_version", "revision")}
    site_url, created_at = str(found["site_url"]), str(found["created_at"])
    return Manifest(
        **texts, site_url=site_url, created_at=created_at, members=members, photos=photos
    )


def _digest(fields: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
