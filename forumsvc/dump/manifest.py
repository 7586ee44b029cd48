"""The manifest of a dump: what made it, and the size and digest of each member."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..ids import MAX_ID
from .errors import DumpError
from .tables import dumped_tables

FORMAT = "forumsvc-dump"
FORMAT_VERSION = 1
NAME = "manifest.json"
MAX_SIZE = 1_000_000
"""The largest manifest that is read, in bytes."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Member:
    """The rows of one table. last_id: the highest id ever given, 0 if unknown."""

    rows: int
    sha256: str
    last_id: int = 0


@dataclass(frozen=True)
class Manifest:
    """What a dump is. revision: of the database it was made from, None where no forum made it."""

    forumsvc_version: str
    revision: str | None
    created_at: str
    secrets: bool
    tables: Mapping[str, Member]

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(member.rows for member in self.tables.values())

    def to_json(self) -> str:
        """Return the text of `manifest.json`."""
        head = {"format": FORMAT, "format_version": FORMAT_VERSION}
        return json.dumps(head | asdict(self), indent=1) + "\n"


def member_name(table: str) -> str:
    """Return the name of the member with the rows of a table."""
    return f"{table}.ndjson.gz"


def parse_manifest(text: bytes) -> Manifest:
    """Return the manifest of this text. Raises DumpError for one that this code does not know."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise DumpError(f"{NAME} is no JSON.") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise DumpError(f"{NAME} is not that of a dump of forumsvc.")
    version = found.get("format_version")
    if type(version) is not int or version < 1:
        raise DumpError(f"{NAME}: format_version must be a number.")
    if version > FORMAT_VERSION:
        raise DumpError(
            f"The dump has format {version}, and this forumsvc knows {FORMAT_VERSION} at most: "
            "load it with a newer forumsvc."
        )
    secrets, tables = found.get("secrets", False), found.get("tables")
    revision = found.get("revision")
    if type(secrets) is not bool or not isinstance(tables, dict):
        raise DumpError(f"{NAME}: secrets must be true or false, tables an object.")
    if revision is not None and not isinstance(revision, str):
        raise DumpError(f"{NAME}: revision must be a text or null.")
    texts = {name: str(found.get(name, ""))[:100] for name in ("forumsvc_version", "created_at")}
    known = {table.name for table in dumped_tables(secrets=secrets)}
    for name in tables:
        if name not in known:
            raise DumpError(f"{NAME}: a dump has no table {name[:60]!r}.")
    members = {name: _member(name, entry) for name, entry in tables.items()}
    return Manifest(revision=revision, secrets=secrets, tables=members, **texts)


def _member(table: str, entry: Any) -> Member:
    if isinstance(entry, dict):
        rows, sha256 = entry.get("rows"), entry.get("sha256")
        last_id = entry.get("last_id", 0)
        numbers = all(type(one) is int and 0 <= one <= MAX_ID for one in (rows, last_id))
        if numbers and isinstance(sha256, str) and _SHA256.fullmatch(sha256):
            return Member(int(entry["rows"]), sha256, last_id)
    raise DumpError(f"{NAME}: {table} needs rows (a number) and sha256 (64 hexadecimal digits).")
