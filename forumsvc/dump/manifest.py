"""The manifest of a dump: what made it, the size and digest of each table, and the photo files."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeGuard

from .. import migrate
from ..media.storage import is_name
from ..text.ids import MAX_ID
from .errors import DumpError
from .tables import dumped_tables

FORMAT = "forumsvc-dump"
FORMAT_VERSION = 1
NAME = "manifest.json"
MAX_SIZE = 64 * 2**20
"""The largest manifest that is read, in bytes: it names the photos that have no file."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Member:
    """The rows of one table. last_id: the highest id ever given, 0 if unknown."""

    rows: int
    sha256: str
    last_id: int = 0


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
    """What a dump is. revision: of the database it was made from, None where no forum made it;
    site_url: of a backup; photos: None in a dump without photos.
    """

    forumsvc_version: str
    revision: str | None
    created_at: str
    secrets: bool
    tables: Mapping[str, Member]
    site_url: str = ""
    photos: Photos | None = None

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(member.rows for member in self.tables.values())

    def to_json(self) -> bytes:
        """Return the text of `manifest.json`, which has a digest of itself."""
        fields = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        return json.dumps(fields | {"sha256": _digest(fields)}, indent=1).encode() + b"\n"


def member_name(table: str) -> str:
    """Return the name of the member with the rows of a table."""
    return f"{table}.ndjson.gz"


def parse_manifest(text: bytes) -> Manifest:
    """Return the manifest of this text. Raises DumpError for one that this code does not know."""
    try:
        document = json.loads(text)
        digest = document.pop("sha256", None) if isinstance(document, dict) else None
        is_damaged = digest not in (None, _digest(document))
    except (ValueError, RecursionError):
        raise DumpError(f"{NAME} is no JSON.") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DumpError(f"{NAME} is not that of a dump of forumsvc.")
    version = document.get("format_version")
    if type(version) is not int or version < 1:
        raise DumpError(f"{NAME}: format_version must be a number.")
    if version > FORMAT_VERSION:
        raise DumpError(
            f"The dump has format {version}, and this forumsvc knows {FORMAT_VERSION} at most: "
            "use a newer forumsvc."
        )
    if is_damaged:
        raise DumpError(f"{NAME} is damaged: its SHA-256 is wrong.")
    secrets, tables = document.get("secrets", False), document.get("tables")
    if type(secrets) is not bool or not isinstance(tables, dict):
        raise DumpError(f"{NAME}: secrets must be true or false, tables an object.")
    revision = document.get("revision")
    _check_revision(revision)
    known = {table.name for table in dumped_tables(secrets=secrets)}
    for name in tables:
        if name not in known:
            raise DumpError(f"{NAME}: a dump has no table {name[:60]!r}.")
    members = {name: _member(name, entry) for name, entry in tables.items()}
    names = ("forumsvc_version", "created_at", "site_url")
    texts = {name: str(document.get(name, ""))[:300] for name in names}
    photos = _photos(document.get("photos"))
    return Manifest(revision=revision, secrets=secrets, tables=members, photos=photos, **texts)


def _check_revision(revision: Any) -> None:
    if revision is None:
        return
    if not isinstance(revision, str):
        raise DumpError(f"{NAME}: revision must be a text or null.")
    if not migrate.is_known(revision):
        raise DumpError(
            f"The dump is of revision {revision[:40]!r}, which this forumsvc does not know: use a "
            "newer forumsvc."
        )


def _member(table: str, entry: Any) -> Member:
    if isinstance(entry, dict):
        rows, sha256, last_id = entry.get("rows"), entry.get("sha256"), entry.get("last_id", 0)
        if _is_number(rows) and _is_digest(sha256) and _is_number(last_id):
            return Member(rows, sha256, last_id)
    raise DumpError(f"{NAME}: {table} needs rows (a number) and sha256 (64 hexadecimal digits).")


def _photos(entry: Any) -> Photos | None:
    if entry is None:
        return None
    if isinstance(entry, dict):
        files, size, missing = (entry.get(name) for name in ("files", "size", "missing"))
        if _is_number(files) and _is_number(size) and _are_photos(missing):
            return Photos(files, size, tuple(missing))
    raise DumpError(f"{NAME}: photos needs files, size (numbers) and missing (names of photos).")


def _is_number(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MAX_ID


def _is_digest(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _are_photos(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(
        isinstance(item, str) and is_name(item) for item in value
    )


def _digest(fields: Any) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
