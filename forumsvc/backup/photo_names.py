"""Which photo files the rows of a dump name."""

from collections.abc import Iterator
from pathlib import Path

from ..dump.errors import DumpError
from ..dump.fields import parse_row
from ..dump.manifest import member_name
from ..dump.source import Source
from ..media.storage import is_name

_COLUMNS = {"photos": "name", "users": "avatar"}


def photo_names(dump: Path) -> set[str]:
    """Return the names of the photos and avatars of a dump, a folder. Raises DumpError.

    The set is in memory: about 150 bytes each.
    """
    return {name for name in _values(Source(dump)) if isinstance(name, str) and is_name(name)}


def _values(source: Source) -> Iterator[object]:
    for table, member in source.manifest().tables.items():
        if column := _COLUMNS.get(table):
            for number, line in source.lines(table, member):
                try:
                    yield parse_row(line).get(column)
                except DumpError as error:
                    where = f"{member_name(table)} line {number}"
                    raise DumpError(f"{where}: {error}.") from None
