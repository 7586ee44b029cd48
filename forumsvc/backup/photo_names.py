"""Which photo files the rows of a dump name."""

import json
from collections.abc import Iterator
from pathlib import Path

from ..dump.source import Source
from ..media.storage import is_name

_COLUMNS = {"photos": "name", "users": "avatar"}


def photo_names(dump: Path) -> set[str]:
    """Return the names of the photos and avatars of a dump, a folder. Raises DumpError.

    The set is in memory: about 150 bytes each.
    """
    return set(filter(is_name, _values(Source(dump))))


def _values(source: Source) -> Iterator[str]:
    for table, member in source.manifest().tables.items():
        if column := _COLUMNS.get(table):
            for _, line in source.lines(table, member):
                yield str(json.loads(line).get(column) or "")
